import type { Minor } from './money.ts';

export const statementTypes = [
  'payment',
  'payout',
  'payout_reversal',
  'fee',
  'refund',
  'top_up',
  'withdrawal',
  'return',
  'adjustment',
] as const;
export type StatementType = (typeof statementTypes)[number];

/** Each line is one change of a merchant's available balance. */
export type StatementLine = {
  /** from 1, without a gap, in the order in which the balance changed */
  line: number;
  at: string;
  type: StatementType;
  transactionId: string | null;
  /** the line has the receipt of this payment of a bill or number, or of the whole transaction (0); null: none */
  part: number | null;
  reference: string | null;
  description: string;
  /** positive: money came */
  amount: Minor;
  /** after this line */
  balance: Minor;
};

/** A statement without its lines. */
export type StatementBounds = {
  /** the last line before the statement; its own begin after it */
  lineBefore: number;
  lastLine: number;
  opening: Minor;
  closing: Minor;
  /** nothing that happens later can change it */
  final: boolean;
};
