import { accountCalled } from '../channels/kit/statement-accounts.ts';
import { textKinds } from '../domain/line-kinds.ts';
import type { Minor } from '../domain/money.ts';

/** A line of a network's or bank's statement is about one of these. A mapping says which text means which kind. */
export const lineKinds = [...textKinds, 'unknown'] as const;
export type LineKind = (typeof lineKinds)[number];

/** Only `done` moved money. */
export type LineStatus = 'done' | 'failed' | 'pending';

/** A line is the same whatever its format. */
export type StatementLine = {
  /** from 1, as people count the lines of the file (of an XML or fetched statement: its entries) */
  no: number;
  /** the line as it came, for evidence */
  raw: string;
  /** their number of the movement, which we call its receipt: one field has it, and no other stands in */
  receipt: string | null;
  /** their other numbers of it, which only point */
  alsoKnownAs?: readonly string[];
  kind: LineKind;
  status: LineStatus;
  /** + into the account, − out of it */
  amount: Minor;
  currency: string;
  at: Date;
  /** may be a reference of ours: a control number, a payout reference, a transaction's id */
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
  /** the statements that it is made of, where a file has several */
  parts?: readonly { name: string; to: Date }[];
  /** people call a file of this kind and account so: `M-Pesa's file of short code 600100` */
  whose?: string;
  /** a list of the network's that ends with its balance of now: what it shows later with an older time is taken, too */
  isFetched?: boolean;
};

/** An account's number is the same however its digits are grouped. */
export const plainNumber = (number: string) => number.replace(/\s/g, '');

/** Throws StatementRefused unless it is of this account and in its currency, wherever it says so. */
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

/** Throws StatementRefused: it is `whose`, and not of the account that was chosen, whose files are `taken` otherwise. */
export function refuseOther(whose: string, chosen: Chosen, taken = ''): never {
  return refuseFile(
    `this is ${whose}; you chose ${accountCalled(chosen)}${taken && `, ${taken}`}`,
    'choose the account that it is of, or download the file of this one',
  );
}

const PROBLEMS_MAX = 1_000;

/** The file is refused whole: each sentence names a line (from 1), and says what is wrong with it and what to do. */
export class StatementRefused extends Error {
  override readonly name = 'StatementRefused';
  /** only so many are shown */
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

/** Throws StatementRefused: it is wrong for this reason, and people do something about it. */
export function refuseFile(why: string, todo = 'download the file again'): never {
  throw new StatementRefused(`${why}: ${todo}`);
}

/** Excel reads `03-04-2026` with the month first where its country does. */
export const MAY_BE_SWAPPED =
  'download the file again, as a spreadsheet that saved it may have taken its days for months';

/** Reads one line after another, also behind one that is wrong; in the end all of them are refused together. */
export function createProblems() {
  const shown: string[] = [];
  let count = 0;
  return {
    /** Returns nothing where it throws StatementRefused. */
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
    /** Throws StatementRefused where there was one. */
    refuse(): void {
      if (count > 0) throw new StatementRefused(shown, count);
    },
  };
}
