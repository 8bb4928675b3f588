import { GatewayError } from '../../domain/errors.ts';
import { CURRENCY } from '../../domain/money.ts';
import type { Html } from '../../platform/http/html.ts';
import { type Asked, asksForReason, payloadTyped, reasonOf } from '../asked.ts';
import type { Desk } from './desk.ts';
import { type Field, folded, reasonField } from './form.ts';
import { merchantField, merchantTyped } from './merchant-field.ts';
import type { Act, Form } from './page.ts';
import { spaced } from './words.ts';

type Shown = {
  /** the payload has this as the page showed it */
  seen?: Record<string, unknown>;
  /** what stands in the fields at first */
  values?: Record<string, string>;
  /** another title than the action's, where a page says more of what it is about */
  title?: string;
  note?: string;
};

/** The form of an action behind its title; null for a person who may not propose it. */
export function proposing(desk: Desk, name: string, { seen = {}, values = {}, ...said }: Shown): Html | null {
  if (!desk.mayPropose(name)) return null;
  const { title, note, asked } = desk.actions[name] ?? {};
  const open = unseen(asked ?? [], seen);
  return folded(desk, said.title ?? title ?? name, {
    act: name,
    label: 'Propose it',
    keep: { seen: JSON.stringify(seen) },
    fields: [
      ...open.map((one) => fieldOf(one, values[one.name])),
      ...(asksForReason(asked ?? []) ? [reasonField] : []),
    ],
    note: said.note ?? note ?? 'Another operator has to approve it.',
  });
}

/** Every page takes the form of every action: its payload is what was typed, beside what was seen. */
export function proposalOf(name: string): Act {
  return async (desk, form) => {
    const { asked = [] } = desk.actions[name] ?? {};
    // The API refuses it, and notes that.
    if (!desk.mayPropose(name)) return desk.propose(name, {}, form.get('reason') ?? form.get('note') ?? '');
    const seen = seenIn(form);
    const open = unseen(asked, seen);
    const ofMerchant = open.some((one) => one.name === 'account_id');
    const merchant = ofMerchant ? { account_id: await merchantTyped(desk, form) } : {};
    const payload = { ...payloadTyped(open, form.all), ...merchant, ...seen };
    return desk.propose(name, payload, reasonOf(payload, form.get('reason')));
  };
}

const unseen = (asked: readonly Asked[], seen: Record<string, unknown>) =>
  asked.filter(({ name }) => name.split(':').every((one) => !Object.hasOwn(seen, one.split('.')[0] ?? one)));

function seenIn(form: Form): Record<string, unknown> {
  try {
    return JSON.parse(form.get('seen') ?? '{}');
  } catch {
    throw new GatewayError('validation_failed', 'This is no form of this page');
  }
}

function fieldOf({ name, label, hint, kind, options = [], ...more }: Asked, value = more.value): Field {
  const isOptional = more.isOptional ?? false;
  if (name === 'account_id') return merchantField;
  const field: Field = {
    name,
    label: kind === 'money' ? `${label}, in ${CURRENCY}` : label,
    isOptional,
    ...(hint !== undefined && { hint }),
    ...(value !== undefined && { value }),
  };
  if (name === 'note') return { ...field, kind: 'area' };
  const words = options.map((one) => [one, spaced(one)] as const);
  if (kind === 'list' && options.length > 0)
    return { ...field, kind: 'boxes', options: isOptional ? [...words, ['none', 'none of them']] : words };
  if (kind !== 'choice' && kind !== 'yes or no') return field;
  return { ...field, kind: 'choice', options: [['', isOptional ? 'by itself' : 'choose'], ...words] };
}
