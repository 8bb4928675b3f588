/** States and legal transitions of a payment (decisions in docs/decisions/0001). A final state never changes. */
export const paymentStatuses = ['pending', 'completed', 'failed', 'cancelled'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];
