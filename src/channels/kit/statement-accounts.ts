import { z } from 'zod';
import { statementLayouts } from '../../domain/data/statement-layouts.ts';
import { CURRENCY, MINOR_PER_UNIT, type Minor, minor } from '../../domain/money.ts';
import { channelIds, networks } from '../../domain/network.ts';

/** Statements are fetched (`gsma`, `airtel`) or files. A fetched account also takes files in its mapping. */
const statementFormats = ['gsma', 'airtel', 'camt', 'csv'] as const;
export type StatementFormat = (typeof statementFormats)[number];

const MAX_GRACE_HOURS = 24 * 31;
const MS_PER_HOUR = 3_600_000;

const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be lower-case letters, digits and dashes');
const units = z.int().nonnegative().max(1_000_000_000_000);
const layoutNames = statementLayouts.layouts.map((layout) => layout.name) as [string, ...string[]];
const proven = ['settlement', ...channelIds.map((id) => `clearing:${id}`)] as [string, ...string[]];

export const statementAccount = z
  .strictObject({
    /** account number at the network or bank: a short code, a bank account */
    theirs: z.string().min(1).max(64),
    currency: z.literal(CURRENCY),
    /** ledger accounts: `clearing:<network>`, `settlement` */
    proves: z.array(z.enum(proven)).min(1),
    /** connections whose movements the account shows; default: all of those ledger accounts */
    connections: z.array(name).min(1).optional(),
    group: name.optional(),
    format: z.enum(statementFormats),
    mapping: z.enum(layoutNames).optional(),
    /** longest time that an item may wait for its counterpart */
    graceHours: z.number().positive().max(MAX_GRACE_HOURS).default(24),
    /** whole TZS per day that rules may book as charges without people */
    chargeCeiling: units.default(0),
    /** true: a line includes its payment's charge */
    net: z.boolean().default(false),
    /** whole TZS: below it an operator is alerted */
    low: units.optional(),
  })
  .refine(({ format, mapping }) => format !== 'csv' || mapping !== undefined, {
    path: ['mapping'],
    message: 'csv needs one',
  });

export type StatementAccount = {
  id: string;
  theirs: string;
  currency: string;
  proves: readonly string[];
  connections: readonly string[] | null;
  /** accounts that no connection tells apart are proven together in a group; default: its own id */
  group: string;
  format: StatementFormat;
  /** layout of its CSV files (data); null: no files */
  mapping: string | null;
  graceMs: number;
  /** per day */
  chargeCeiling: Minor;
  isNet: boolean;
  low: Minor | null;
};

export function statementAccountOf(id: string, row: z.infer<typeof statementAccount>): StatementAccount {
  const { proves, connections, group, mapping, graceHours, chargeCeiling, net, low, ...rest } = row;
  const codes = proves.map((one) => (one === 'settlement' ? 'settlement:' : one));
  return {
    ...rest,
    id,
    proves: codes.map((code) => `${code}:${row.currency}`),
    connections: connections ?? null,
    group: group ?? id,
    mapping: mapping ?? null,
    graceMs: graceHours * MS_PER_HOUR,
    chargeCeiling: minor(chargeCeiling * MINOR_PER_UNIT),
    isNet: net,
    low: low === undefined ? null : minor(low * MINOR_PER_UNIT),
  };
}

/**
 * Returns a sentence for each problem. Only one account or group may prove a ledger account's movements over
 * a connection, because two would explain them twice. An account's receipts must share one number space, or
 * they count twice. `services` has each network's connections.
 */
export function statementProblems(
  accounts: readonly StatementAccount[],
  connections: Readonly<Record<string, { receipts?: string | undefined }>>,
  services: readonly ReadonlyMap<string, Service>[],
): string[] {
  const problems: string[] = [];
  for (const [i, one] of accounts.entries()) {
    const place = `statementAccounts.${one.id}`;
    for (const connection of one.connections ?? [])
      if (!Object.hasOwn(connections, connection))
        problems.push(`${place}.connections: there is no connection ${connection}`);
    const used = one.connections ?? services.flatMap((rows) => connectionsOf(rows.get(networkOf(one))));
    const spaces = [...new Set(used.map((id) => connections[id]?.receipts ?? id))];
    if (spaces.length > 1)
      problems.push(
        `${place}: a receipt of ${spaces.join(', ')} is a number of each: ` +
          'name one of them in "receipts" of the others, or accounts of their own',
      );
    for (const earlier of accounts.slice(0, i)) {
      if (earlier.group !== one.group) problems.push(...sharedPairs(one, earlier));
      else if (pairsOf(earlier) !== pairsOf(one))
        problems.push(`${place}.group: proves and connections must be those of ${earlier.id}`);
    }
  }
  return problems;
}

export type Service = {
  payments?: string | undefined;
  payouts?: string | undefined;
  bills?: string[] | undefined;
};

export const connectionsOf = ({ payments, payouts, bills = [] }: Service = {}): string[] =>
  [payments, payouts, ...bills].filter((id) => id !== undefined);

export const networkOf = ({ proves }: Pick<StatementAccount, 'proves'>): string =>
  proves.find((code) => code.startsWith('clearing:'))?.split(':')[1] ?? 'bank';

/** Returns `Airtel Money 700100`, as people call it. */
export const accountCalled = (account: Pick<StatementAccount, 'proves' | 'theirs'>): string => {
  const network = networks.find(({ id }) => id === networkOf(account));
  return `${network?.customerName ?? 'the bank account'} ${account.theirs}`;
};

function sharedPairs(one: StatementAccount, earlier: StatementAccount): string[] {
  return one.proves
    .filter((code) => earlier.proves.includes(code))
    .flatMap((code) => {
      const [kind, channel] = code.split(':');
      if (kind === 'settlement')
        return [`statementAccounts.${one.id}.proves: settlement belongs to ${earlier.id}`];
      const both =
        one.connections && earlier.connections
          ? one.connections.filter((id) => earlier.connections?.includes(id))
          : (one.connections ?? earlier.connections ?? ['every connection']);
      return both.map(
        (id) =>
          `statementAccounts.${one.id}.proves: ` +
          `${kind}:${channel} over ${id} belongs to ${earlier.id} already`,
      );
    });
}

/** Returns `clearing:m-pesa over vodacom`, for example. */
export function provenBy({ proves, connections }: StatementAccount): string {
  const names = proves.map((code) => code.split(':').slice(0, 2).filter(Boolean).join(':')).join(', ');
  return connections ? `${names} over ${connections.join(', ')}` : names;
}

function pairsOf({ proves, connections }: StatementAccount): string {
  return JSON.stringify([[...proves].sort(), connections && [...connections].sort()]);
}
