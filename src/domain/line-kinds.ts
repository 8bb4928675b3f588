/** Kinds of a statement's line that its text alone can mean; what a line is otherwise, matching finds out. */
export const textKinds = [
  'payment',
  'payout',
  'fee',
  'tax',
  'sweep',
  'funding',
  'reversal',
  'return',
  'adjustment',
] as const;
