import { z } from 'zod';
import { networkNameOf } from '../domain/network.ts';
import type { Call } from './api/call.ts';
import { calls } from './api/calls.ts';
import { type Column, type ListCommand, type PlacedCommand, spaced, type Totals } from './columns.ts';

type Calls = typeof calls;
export type CallName = keyof Calls;
export type Answer<Name extends CallName> = z.output<Calls[Name]['answer']>;

export const listNames = [
  'data',
  'lines',
  'days',
  'accounts',
  'volumes',
  'movements',
  'balances',
  'fees',
  'transactions',
] as const;
type ItemIn<Of> = {
  [Name in (typeof listNames)[number]]: Of extends Record<Name, (infer One)[]> ? One : never;
}[(typeof listNames)[number]];
export type ListCall = {
  [Name in CallName]: [ItemIn<Answer<Name>>] extends [never] ? never : Name;
}[CallName];
export type Item<Name extends ListCall> = ItemIn<Answer<Name>>;

export type MemberOf<Of> = {
  [Name in keyof Of & string]: NonNullable<Of[Name]> extends readonly unknown[]
    ? Name
    : NonNullable<Of[Name]> extends object
      ? `${Name}.${keyof NonNullable<Of[Name]> & string}`
      : Name;
}[keyof Of & string];
export type QueryOf<Name extends CallName> = Calls[Name] extends { query: infer Query }
  ? Exclude<keyof Query & string, 'page' | 'per_page'>
  : never;

/** `all`: text for "no filter"; makes the filter a choice of the parameter's values. */
export type Filter<Name extends string = string> = {
  name: Name;
  label: string;
  hint?: string;
  all?: string;
  kind?: 'day';
  /** only for the command: pages have links instead */
  isCommand?: true;
};

export type Declared<Name extends ListCall = ListCall> = {
  call: Name;
  /** left out where the command writes files (extracts) */
  command?: string;
  filters?: readonly Filter<QueryOf<Name>>[];
  columns: readonly Column<MemberOf<Item<Name>>>[];
  totals?: Totals;
  /** sentence for an empty list */
  none: string;
};

/** The desk's table, its file and the command use the same columns. */
export const list = <const Name extends ListCall>(declared: Declared<Name>): Declared<Name> => declared;

export function choicesOf(name: CallName, parameter: string): readonly string[] {
  const field = (calls[name] as Call).query?.[parameter];
  const { enum: choices } = z.toJSONSchema(field ?? z.string(), { io: 'input', unrepresentable: 'any' });
  return (choices ?? []).map(String);
}

export const wordsOf = (parameter: string, choice: string): string =>
  ['channel', 'network'].includes(parameter) ? networkNameOf(choice) : spaced(choice);

type Placed = { call: CallName; command: string; filters?: readonly Filter[] };

/** Says where the command's call is, and what it takes. */
export function placeOf({ call: name, command, filters = [] }: Placed): PlacedCommand {
  const { summary: title, paths } = calls[name];
  const options = filters.map(({ name: parameter, label, hint }) => {
    const choices = choicesOf(name, parameter);
    const more = hint === undefined ? label : `${label} (${hint})`;
    return { name: parameter, label: more, ...(choices.length > 0 && { options: choices }) };
  });
  return { command, title, path: paths[0], filters: options };
}

/** The command line needs no addresses of the desk. */
export function typedColumns(columns: readonly Column[]): Column[] {
  const shown = columns.filter(({ not }) => !not?.includes('command'));
  return shown.map(({ to: _to, may: _may, not: _not, ...column }) => column);
}

export function commandOf({
  call: name,
  command = '',
  filters = [],
  columns,
  ...declared
}: Declared): ListCommand {
  const { method, answer, query = {} } = calls[name] as Call;
  const typed = typedColumns(columns);
  const members = Object.keys((answer as unknown as z.ZodObject).shape);
  return {
    ...declared,
    ...placeOf({ call: name, command, filters }),
    member: listNames.find((one) => members.includes(one)) ?? '',
    isPost: method === 'POST',
    isPaged: 'page' in query,
    columns: [...typed.filter(({ isId }) => isId), ...typed.filter(({ isId }) => !isId)],
  };
}
