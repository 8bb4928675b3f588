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

export type StatementLine = {
  /** from 1, without gaps, in the order of the balance's changes */
  line: number;
  at: string;
  type: StatementType;
  transactionId: string | null;
  /** payment of a bill or number whose receipt the line has; 0: the transaction's receipt; null: none */
  part: number | null;
  reference: string | null;
  description: string;
  /** positive: money came */
  amount: Minor;
  balance: Minor;
};

export type StatementBounds = {
  lineBefore: number;
  lastLine: number;
  opening: Minor;
  closing: Minor;
  /** no later event can change it */
  final: boolean;
};
