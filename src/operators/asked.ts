import { validationFailed } from '../domain/errors.ts';
import { readTiers } from '../domain/fee-words.ts';
import { CURRENCY, minorTyped } from '../domain/money.ts';

/** A person fills this in for an action. It is plain JSON, so the command line needs no schema. */
export type Asked = {
  /** the member of the payload; a dot is inside a group, a colon between two that are typed as one text */
  name: string;
  label: string;
  hint?: string;
  kind: 'text' | 'money' | 'number' | 'yes or no' | 'choice' | 'list' | 'fee' | 'only';
  /** what may be chosen; `only`: what it always is */
  options?: readonly string[];
  isOptional?: true;
  /** "none" stands for null */
  takesNone?: true;
  /** it has this where nothing is typed */
  value?: string;
};

/** Reads shillings; leaves out what is empty. Throws `validation_failed` for a bad amount or number only. */
export function payloadTyped(
  asked: readonly Asked[],
  typed: (name: string) => readonly string[],
): Record<string, unknown> {
  const payload: Record<string, unknown> = {};
  for (const one of asked) {
    const value = valueTyped(one, typed(one.name));
    if (value === undefined) continue;
    const names = one.name.split(':');
    const values = names.length === 1 ? [value] : String(value).split(':');
    // Not sent: it may be a whole key, typed by mistake.
    if (values.length !== names.length) wrong(one.name, 'one text with a colon in it, as it was printed');
    for (const [at, name] of names.entries()) setAt(payload, name, values[at]);
  }
  return payload;
}

function valueTyped({ name, kind, options = [], isOptional, takesNone }: Asked, given: readonly string[]) {
  const [text] = given;
  if (kind === 'only') return options[0];
  if (kind === 'list') return listTyped(options, given) ?? (isOptional ? undefined : []);
  if (text === undefined) return undefined;
  if (takesNone && text === 'none') return null;
  if (kind === 'yes or no') return text === 'yes' || (text === 'no' ? false : text);
  if (kind === 'money')
    return amountTyped(text) ?? wrong(name, `an amount in ${CURRENCY}, like 50000 or 50,000.50`);
  if (kind === 'fee')
    return {
      tiers: readTiers(text) ?? wrong(name, 'a fee, like 300, or "0-4999: 300; 5000-: 1.5% min 500"'),
    };
  if (kind === 'number') return /^\d{1,12}$/.test(text) ? Number(text) : wrong(name, 'a whole number');
  return text;
}

/** A minus may stand before it: the action says where money may go the other way. */
function amountTyped(text: string): number | null {
  const amount = minorTyped(text.replace(/^[-−]/, ''));
  return amount !== null && /^[-−]/.test(text) ? -amount : amount;
}

function listTyped(options: readonly string[], given: readonly string[]): readonly string[] | undefined {
  if (given.length === 0) return undefined;
  const items = given.flatMap((text) => text.split(',')).map((item) => item.trim());
  if (items.length === 1 && items[0] === 'none') return [];
  return items.length === 1 && items[0] === 'all' && options.length > 0 ? options : items;
}

function wrong(field: string, what: string): never {
  throw validationFailed([{ field, message: `must be ${what}` }]);
}

function setAt(payload: Record<string, unknown>, name: string, value: unknown): void {
  const [group, member] = name.split('.');
  if (member === undefined) payload[name] = value;
  else payload[group ?? ''] = { ...(payload[group ?? ''] as object), [member]: value };
}

/** A payload with a note asks for no other reason. */
export const asksForReason = (asked: readonly Asked[]) => !asked.some(({ name }) => name === 'note');

/** A note is the reason, too; where it may be left out, what the payload refers to. */
export function reasonOf({ note, reference }: Record<string, unknown>, typed: string | undefined): string {
  return typed ?? String(note ?? reference ?? '');
}
