/** A line's text alone can mean these kinds; matching finds out all others. */
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
