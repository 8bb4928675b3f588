import { countOf } from '../domain/count-of.ts';
import { dayOf, localStamp } from '../domain/day.ts';
import { CURRENCY, formatMoney, minor } from '../domain/money.ts';

/** It is plain JSON, shared by the desk, its files and the command line. */
export type Column<Member extends string = string> = {
  head: string;
  /** `a.b` is member b of a */
  of: Member;
  /** shown if `of` is null */
  or?: Member;
  /**
   * `minor`: minor units; `owed`: minor units with the opposite sign; `count`: length of an array; `day`: day
   * of a time; `sentence`: may contain times, items and proposals
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
    | 'network'
    | 'seconds';
  /** member with the currency; the service's currency if an item has none */
  in?: Member | 'currency';
  /** text for an empty cell, or for false */
  none?: string;
  /** text for true */
  yes?: string;
  /** the desk's page of this cell; `{member}` is replaced by its value */
  to?: string;
  /** only people who may make this call see the link */
  may?: string;
  /** people type it in commands, so lists show it first */
  isId?: true;
  /** leaves the column out of these */
  not?: readonly ('page' | 'command')[];
};

/** `<name>` in `command` is a filter, or the id in the path of its call. */
export type PlacedCommand = {
  command: string;
  title: string;
  path: string;
  filters: readonly { name: string; label: string; options?: readonly string[] }[];
};

export type ViewCommand = PlacedCommand & {
  fields: readonly Column[];
  /** `of`: the member of the answer with the items */
  sections: readonly { title: string; of: string; columns: readonly Column[] }[];
};

export type ListCommand = PlacedCommand & {
  /** the member of the answer with the items */
  member: string;
  isPost: boolean;
  isPaged: boolean;
  columns: readonly Column[];
  totals?: Totals;
  none: string;
};

/** Totals are rows of the member `of`. Without `of`, the answer is one row. */
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

function durationOf(seconds: number): string {
  const units = [
    [86_400, 'days'],
    [3_600, 'hours'],
    [60, 'minutes'],
  ] as const;
  const [length, words] = units.find(([length]) => seconds % length === 0) ?? [1, 'seconds'];
  return `${seconds / length} ${seconds === length ? words.slice(0, -1) : words}`;
}

/** Times and states stay as the API sent them, so that people can type them again. */
export function textOf(column: Column, item: unknown): string {
  const value = valueIn(column, item);
  if (value === null || value === '') return column.none ?? '';
  if (Array.isArray(value))
    return column.as === 'count' ? String(value.length) : value.join(', ') || (column.none ?? '');
  if (typeof value === 'boolean') return value ? (column.yes ?? 'yes') : (column.none ?? '');
  switch (column.as) {
    case 'minor':
      return formatMoney(minor(Number(value)));
    case 'owed':
      // `0 -` avoids a negative zero.
      return formatMoney(minor(0 - Number(value)));
    case 'day':
      return dayOf(new Date(String(value)));
    case 'days':
      return countOf(Number(value), 'day');
    case 'seconds':
      return durationOf(Number(value));
    default:
      return String(value);
  }
}

export function currencyOf(column: Column, item: unknown): string {
  if (column.in === undefined || valueIn(column, item) === null) return '';
  return String(memberOf(item, column.in) ?? CURRENCY);
}

/** A file has plain numbers, times in Dar es Salaam, and names in words. */
export function fileTextOf(column: Column, item: unknown): string {
  const text = textOf(column, item);
  const isThere = valueIn(column, item) !== null;
  if (column.as === 'time' && isThere) return localStamp(text);
  if (column.as === 'words') return spaced(text);
  return isNumber(column) && isThere ? text.replaceAll(',', '') : text;
}
