import { accountCalled } from '../channels/kit/statement-accounts.ts';
import { textKinds } from '../domain/line-kinds.ts';
import type { Minor } from '../domain/money.ts';

/** A network's or bank's line has one of these kinds. A mapping says which text means which kind. */
export const lineKinds = [...textKinds, 'unknown'] as const;
export type LineKind = (typeof lineKinds)[number];

/** Only `done` moved money. */
export type LineStatus = 'done' | 'failed' | 'pending';

/** A line in a common form for all formats. */
export type StatementLine = {
  /** from 1, as people count the file's lines (or the entries of an XML or fetched statement) */
  no: number;
  /** the line as received, for evidence */
  raw: string;
  /** the network's or bank's number of the movement, always from the same field */
  receipt: string | null;
  /** its other numbers, which are only pointers */
  alsoKnownAs?: readonly string[];
  kind: LineKind;
  status: LineStatus;
  /** positive: into the account */
  amount: Minor;
  currency: string;
  at: Date;
  /** possible reference of ours: a control number, a payout reference, a transaction's id */
  reference: string | null;
  /** receipts of movements that it names: a reversal's original, a batch's payments */
  names: readonly string[];
  /** statement account with the other half of a sweep */
  sweepTo: string | null;
  /** text about the payer or payee: personal data, never a key */
  party: string | null;
  balanceAfter: Minor | null;
  text: string;
};

export type Statement = {
  /** the account's number in the file; null if it has none */
  theirs: string | null;
  currency: string | null;
  /** `from` inclusive, `to` exclusive; null: the days of its lines */
  period: { from: Date; to: Date } | null;
  /** null if the format has none, so the file proves no balance */
  opening: Minor | null;
  closing: Minor | null;
  totals: { lines: number | null; paidIn: Minor | null; paidOut: Minor | null };
  lines: readonly StatementLine[];
  /** the statements, if the file has several */
  parts?: readonly { name: string; to: Date }[];
  /** description of the file for people: `M-Pesa's file of short code 600100` */
  whose?: string;
  /** a network's list that ends with its current balance; it accepts later entries with an older time */
  isFetched?: boolean;
};

/** Drops the spaces that group an account's number. */
export const plainNumber = (number: string) => number.replace(/\s/g, '');

/** Throws StatementRefused if the statement names another account or currency. */
export function requireOwn(account: Chosen & { currency: string }, statement: Statement): void {
  const { theirs, currency, lines, whose = `a statement of ${theirs}` } = statement;
  if (theirs !== null && plainNumber(theirs) !== plainNumber(account.theirs)) refuseOther(whose, account);
  const todo = `download the file of the account in ${account.currency}`;
  if (currency !== null && currency !== account.currency)
    refuseFile(`the statement is in ${currency}, not in ${account.currency}`, todo);
  const foreign = lines.find((line) => line.currency !== account.currency);
  if (foreign) refuseFile(`line ${foreign.no} is in ${foreign.currency}, not in ${account.currency}`, todo);
}

type Chosen = Parameters<typeof accountCalled>[0];

/** Throws StatementRefused: the file is `whose`. `taken`: how the chosen account's files are read. */
export function refuseOther(whose: string, chosen: Chosen, taken = ''): never {
  return refuseFile(
    `this is ${whose}; you chose ${accountCalled(chosen)}${taken && `, ${taken}`}`,
    'choose the account that it is of, or download the file of this one',
  );
}

const PROBLEMS_MAX = 1_000;

/** Refuses the whole file; each sentence names a line (from 1), the fault and the remedy. */
export class StatementRefused extends Error {
  override readonly name = 'StatementRefused';
  readonly shown: readonly string[];
  readonly count: number;
  constructor(said: string | readonly string[], count = typeof said === 'string' ? 1 : said.length) {
    const shown = typeof said === 'string' ? [said] : said.slice(0, PROBLEMS_MAX);
    super(count === 1 ? shown[0] : `${count} lines are wrong: ${shown[0]}`);
    this.shown = shown;
    this.count = count;
  }
  get problems(): readonly string[] {
    const more = this.count - this.shown.length;
    return more > 0 ? [...this.shown, `${more} more lines are wrong`] : this.shown;
  }
}

/** Throws StatementRefused with the reason and what people can do. */
export function refuseFile(why: string, todo = 'download the file again'): never {
  throw new StatementRefused(`${why}: ${todo}`);
}

/** Excel reads `03-04-2026` with the month first in some countries. */
export const MAY_BE_SWAPPED =
  'download the file again, as a spreadsheet that saved it may have taken its days for months';

/** Reads all lines, and then refuses all wrong ones together. */
export function createProblems() {
  const shown: string[] = [];
  let count = 0;
  return {
    /** Returns nothing for a line that throws StatementRefused. */
    read<T>(line: () => T[]): T[] {
      try {
        return line();
      } catch (error) {
        if (!(error instanceof StatementRefused)) throw error;
        count += 1;
        if (count <= PROBLEMS_MAX) shown.push(error.message);
        return [];
      }
    },
    refuse(): void {
      if (count > 0) throw new StatementRefused(shown, count);
    },
  };
}
