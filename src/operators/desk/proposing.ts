import { GatewayError } from '../../domain/errors.ts';
import { CURRENCY } from '../../domain/money.ts';
import type { Html } from '../../platform/http/html.ts';
import { type Asked, asksForReason, payloadTyped, reasonOf } from '../asked.ts';
import type { Desk } from './desk.ts';
import { type Field, folded, form, reasonField } from './form.ts';
import { merchantField, merchantTyped } from './merchant-field.ts';
import type { Act, Form } from './page.ts';
import { spaced } from './words.ts';

type Shown = {
  /** payload values that the page showed */
  seen?: Record<string, unknown>;
  values?: Record<string, string>;
  options?: Record<string, readonly (readonly [value: string, words: string])[]>;
  /** instead of the action's title */
  title?: string;
  /** the usual next step: an open form, and the title on its button */
  isUsual?: boolean;
};

export function proposing(
  desk: Desk,
  name: string,
  { seen = {}, values = {}, options = {}, ...more }: Shown,
): Html | null {
  const action = desk.actions[name];
  if (!action || !desk.mayAsk(name)) return null;
  const { title = action.title, isUsual = false } = more;
  const fields = unseen(action.asked, seen)
    .filter(({ kind }) => kind !== 'only')
    .map((one) => chosenFrom(options[one.name], one, fieldOf(one, values[one.name])));
  const asked = {
    act: name,
    label: isUsual ? title : action.alone ? 'Do it now' : 'Propose it',
    keep: { seen: JSON.stringify(seen) },
    fields: asksForReason(action.asked) ? [...fields, reasonField] : fields,
    note: action.note ?? 'Another operator has to approve it.',
  };
  return isUsual ? form(desk, asked) : folded(desk, title, asked);
}

/** Every page accepts every action's form. */
export function proposalOf(name: string): Act {
  return async (desk, sent) => {
    // If the operator may not, the API refuses the action and audits the refusal.
    const payload = desk.mayAsk(name) ? await payloadSent(desk, name, sent) : {};
    const reason = reasonOf({ note: sent.get('note'), ...payload }, sent.get('reason'));
    return (await desk.propose(name, payload, reason)) ?? '?done=';
  };
}

async function payloadSent(desk: Desk, name: string, sent: Form): Promise<Record<string, unknown>> {
  const seen = seenIn(sent);
  const open = unseen(desk.actions[name]?.asked ?? [], seen);
  const ofMerchant = open.some((one) => one.name === 'account_id');
  const merchant = ofMerchant ? { account_id: await merchantTyped(desk, sent) } : {};
  const chosen = sent.get('group');
  if (chosen === undefined) return { ...payloadTyped(open, sent.all), ...merchant, ...seen };
  const its = open.filter(({ name, group }) => group === undefined || name.startsWith(`${chosen}.`));
  return { [chosen]: {}, ...payloadTyped(its, sent.all), ...merchant, ...seen };
}

const unseen = (asked: readonly Asked[], seen: Record<string, unknown>) =>
  asked.filter(({ name }) => name.split(':').every((one) => !Object.hasOwn(seen, one.split('.')[0] ?? one)));

function seenIn(sent: Form): Record<string, unknown> {
  try {
    return JSON.parse(sent.get('seen') ?? '{}');
  } catch {
    throw new GatewayError('validation_failed', 'This page has no such form');
  }
}

function chosenFrom(options: Field['options'], { kind, isOptional }: Asked, field: Field): Field {
  if (!options) return field;
  if (kind === 'list') return { ...field, kind: 'boxes', options };
  return { ...field, kind: 'choice', options: [['', isOptional ? 'leave it out' : 'choose'], ...options] };
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
    ...(more.group !== undefined && { group: more.group }),
  };
  if (name === 'note') return { ...field, kind: 'area' };
  const words = options.map((one) => [one, spaced(one)] as const);
  if (kind === 'list' && options.length > 0)
    return { ...field, kind: 'boxes', options: isOptional ? [...words, ['none', 'none of them']] : words };
  if (kind !== 'choice' && kind !== 'yes or no') return field;
  return { ...field, kind: 'choice', options: [['', isOptional ? 'leave it out' : 'choose'], ...words] };
}
