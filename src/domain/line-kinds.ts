/** A line's text alone can tell these kinds; matching finds all others. */
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
