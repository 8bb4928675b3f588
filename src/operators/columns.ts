import { dayOf, localStamp } from '../domain/day.ts';
import { CURRENCY, formatMoney, minor } from '../domain/money.ts';

/** A column of a list. It is plain JSON: the desk, its files and the command line make their cells from it. */
export type Column<Member extends string = string> = {
  head: string;
  /** the member of an item; a dot is inside another */
  of: Member;
  /** it stands there where the first is null */
  or?: Member;
  /**
   * `minor`: minor units; `owed`: with the other sign; `count`: how many there are; `day`: of a moment;
   * `sentence`: it may name moments, items and proposals
   */
  as?:
    | 'amount'
    | 'minor'
    | 'owed'
    | 'number'
    | 'count'
    | 'time'
    | 'day'
    | 'days'
    | 'words'
    | 'sentence'
    | 'network';
  /** the member that says the currency */
  in?: Member;
  /** said where there is nothing */
  none?: string;
  /** the address of what it names, at the desk; in braces is a member */
  to?: string;
  /** whoever may not make this call sees no link */
  may?: string;
  /** commands are typed with it: there it comes first */
  isId?: true;
  /** these leave it out */
  not?: readonly ('page' | 'command')[];
};

/** `command` is typed with it: `<name>` is a filter, or the id in the path of its call. */
export type ListCommand = {
  command: string;
  title: string;
  path: string;
  /** the member of the answer that has the items */
  member: string;
  isPost: boolean;
  isPaged: boolean;
  filters: readonly { name: string; label: string; options?: readonly string[] }[];
  columns: readonly Column[];
  totals?: Totals;
  none: string;
};

/** The totals are rows of the member `of`; without one, a row of the answer's own members. */
export type Totals = { of?: string; columns: readonly Column[] };

export function totalsIn({ of }: Totals, answer: unknown): readonly unknown[] {
  return of === undefined ? [answer] : ((memberOf(answer, of) as readonly unknown[] | null) ?? []);
}

export const isMoney = ({ as = 'words' }: Column) => ['amount', 'minor', 'owed'].includes(as);
export const isNumber = (column: Column) =>
  isMoney(column) || column.as === 'number' || column.as === 'count';

export function memberOf(item: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((value: unknown, name) => (value as Record<string, unknown> | null)?.[name], item);
}

export function valueIn({ of, or }: Column, item: unknown): unknown {
  return memberOf(item, of) ?? (or === undefined ? null : memberOf(item, or)) ?? null;
}

export const spaced = (name: string): string => name.replaceAll('_', ' ');

export const days = (count: number): string => `${count} ${count === 1 ? 'day' : 'days'}`;

/** Writes shillings with commas, moments and names of states as they came: so they are typed again. */
export function textOf(column: Column, item: unknown): string {
  const value = valueIn(column, item);
  if (value === null || value === '') return column.none ?? '';
  if (Array.isArray(value))
    return column.as === 'count' ? String(value.length) : value.join(', ') || (column.none ?? '');
  if (typeof value === 'boolean') return value ? 'yes' : (column.none ?? '');
  switch (column.as) {
    case 'minor':
      return formatMoney(minor(Number(value)));
    case 'owed':
      // Zero has no sign.
      return formatMoney(minor(0 - Number(value)));
    case 'day':
      return dayOf(new Date(String(value)));
    case 'days':
      return days(Number(value));
    default:
      return String(value);
  }
}

/** Returns the currency of an amount; '' where the column names none. */
export function currencyOf(column: Column, item: unknown): string {
  if (column.in === undefined || valueIn(column, item) === null) return '';
  return String(memberOf(item, column.in) ?? CURRENCY);
}

/** A file has plain numbers, moments of Dar es Salaam, and names in words. */
export function fileTextOf(column: Column, item: unknown): string {
  const text = textOf(column, item);
  const isThere = valueIn(column, item) !== null;
  if (column.as === 'time' && isThere) return localStamp(text);
  if (column.as === 'words') return spaced(text);
  return isNumber(column) && isThere ? text.replaceAll(',', '') : text;
}
