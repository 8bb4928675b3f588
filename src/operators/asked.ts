import { validationFailed } from '../domain/errors.ts';
import { readTiers } from '../domain/fee-words.ts';
import { CURRENCY, minorTyped } from '../domain/money.ts';

/** A field that a person types. It is plain JSON, so the command line needs no schema. */
export type Asked = {
  /** `a.b` is member b of group a; `a:b` are two members typed as one text */
  name: string;
  label: string;
  hint?: string;
  kind: 'text' | 'money' | 'number' | 'yes or no' | 'choice' | 'list' | 'fee' | 'only';
  /** choices; for `only`: the fixed value */
  options?: readonly string[];
  isOptional?: true;
  /** what its group is called; one group of those is typed */
  group?: string;
  /** people type "none" for null */
  takesNone?: true;
  /** default value */
  value?: string;
};

export type SendCommand = {
  command: string;
  title: string;
  path: string;
  says: string;
  asked: readonly Asked[];
};

/**
 * Converts shillings to minor units and leaves out empty texts. Throws `validation_failed` only for a
 * malformed amount, fee, number or pair.
 */
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
    // Do not repeat the text: it may be a whole key, typed by mistake.
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

/** Accepts a minus: the action decides if negative amounts are allowed. */
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

export const asksForReason = (asked: readonly Asked[]) => !asked.some(({ name }) => name === 'note');

/** The note is the reason; without a note, the reference. */
export function reasonOf({ note, reference }: Record<string, unknown>, typed: string | undefined): string {
  return typed ?? String(note ?? reference ?? '');
}
