/** The text of a line alone shows these kinds; matching finds all others. */
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
