/** Kinds that a line's text alone can mean; matching finds all others. */
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
