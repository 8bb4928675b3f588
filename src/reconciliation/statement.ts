import { textKinds } from '../domain/line-kinds.ts';
import type { Minor } from '../domain/money.ts';

/** What a line of a network's or bank's statement is about. A mapping says which text means which kind. */
export const lineKinds = [...textKinds, 'unknown'] as const;
export type LineKind = (typeof lineKinds)[number];

/** Only `done` moved money. */
export type LineStatus = 'done' | 'failed' | 'pending';

/** One line of a statement, the same whatever its format. */
export type StatementLine = {
  /** from 1, as people count the lines of the file (of an XML or fetched statement: its entries) */
  no: number;
  /** the line as it came, for evidence */
  raw: string;
  /** their number of the movement, which we call its receipt: of one field, which no other stands in for */
  receipt: string | null;
  /** their other numbers of it, which only point */
  alsoKnownAs?: readonly string[];
  kind: LineKind;
  status: LineStatus;
  /** + into the account, − out of it */
  amount: Minor;
  currency: string;
  at: Date;
  /** what may be a reference of ours: a control number, a payout reference, a transaction's id */
  reference: string | null;
  /** the receipts of the movements that it names: the original of a reversal, the payments of a batch */
  names: readonly string[];
  /** the statement account that the other half of a sweep is in */
  sweepTo: string | null;
  /** the payer or payee as they show him: personal data, never a key */
  party: string | null;
  balanceAfter: Minor | null;
  text: string;
};

/** What a statement says beside its lines. */
export type Statement = {
  /** the account as they name it; null where the file does not say */
  theirs: string | null;
  currency: string | null;
  /** `from` inclusive, `to` exclusive; null where the file does not say: then the days of its lines */
  period: { from: Date; to: Date } | null;
  /** null where the format has none: it is not proven by itself */
  opening: Minor | null;
  closing: Minor | null;
  /** control totals where it has them */
  totals: { lines: number | null; paidIn: Minor | null; paidOut: Minor | null };
  lines: readonly StatementLine[];
  /** a list of the network's that ends with its balance of now: what it shows later with an older time is taken, too */
  isFetched?: boolean;
};

/** Throws StatementRefused unless it is of this account and in its currency, wherever it says so. */
export function requireOwn(account: { theirs: string; currency: string }, statement: Statement): void {
  const plain = (number: string) => number.replace(/\s/g, '');
  const { theirs, currency, lines } = statement;
  if (theirs !== null && plain(theirs) !== plain(account.theirs))
    throw new StatementRefused(`this is a statement of ${theirs}, not of ${account.theirs}`);
  if (currency !== null && currency !== account.currency)
    throw new StatementRefused(`the statement is in ${currency}, not in ${account.currency}`);
  const foreign = lines.find((line) => line.currency !== account.currency);
  if (foreign)
    throw new StatementRefused(`line ${foreign.no} is in ${foreign.currency}, not in ${account.currency}`);
}

const PROBLEMS_MAX = 1_000;

/** A file that is refused whole: each sentence names a line (from 1) and what is wrong with it. */
export class StatementRefused extends Error {
  override readonly name = 'StatementRefused';
  readonly problems: readonly string[];
  constructor(...problems: string[]) {
    const more = problems.length - PROBLEMS_MAX;
    const shown = problems.slice(0, PROBLEMS_MAX);
    super(problems.length === 1 ? problems[0] : `${problems.length} lines are wrong: ${problems[0]}`);
    this.problems = more > 0 ? [...shown, `${more} more lines are wrong`] : shown;
  }
}
