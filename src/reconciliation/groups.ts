import type { StatementAccount } from '../channels/kit/statement-accounts.ts';

export type Proven = readonly StatementAccount[];
export type ProvenValues = readonly [
  accounts: readonly string[],
  books: readonly string[],
  connections: readonly string[] | null,
  graceMs: number,
];

export type StatementAccounts = ReadonlyMap<string, StatementAccount>;

export function groupsOf(accounts: StatementAccounts, account?: string): Proven[] {
  const groups = new Map<string, StatementAccount[]>();
  for (const one of accounts.values()) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
  const all = [...groups.values()];
  return account === undefined ? all : all.filter((group) => group.some(({ id }) => id === account));
}

/** Returns the account and those proven with it; the id alone if the channels file no longer has it. */
export function accountsBeside(accounts: StatementAccounts, account: string): string[] {
  const beside = groupsOf(accounts, account).flatMap((group) => group.map(({ id }) => id));
  return beside.length === 0 ? [account] : beside;
}

export function valuesOf(group: Proven): ProvenValues {
  const [first] = group;
  if (!first) throw new RangeError('a group has accounts');
  return [group.map(({ id }) => id), first.proves, first.connections, first.graceMs];
}
