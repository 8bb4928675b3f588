/** States and legal transitions of a payout. A final state never changes. */
export const payoutStatuses = ['pending', 'paid', 'failed', 'cancelled'] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];
