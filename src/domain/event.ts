/** Callback events of a transaction (docs/callbacks.md) and the latest-event values of lookups. */
export const callbackEventNames = [
  'payment.received',
  'payment.failed',
  'payout.completed',
  'payout.failed',
  'payout.returned',
  'ping',
] as const;
export type CallbackEventName = (typeof callbackEventNames)[number];

/** The latest event of a transaction, as lookups and lists tell it: nothing is sent about `pending`. */
export const paymentEvents = ['payment.pending', 'payment.received', 'payment.failed'] as const;
export const payoutEvents = ['payout.pending', 'payout.completed', 'payout.failed'] as const;

/** What became of an event: on its way, taken by the receiver, given up, or never sent because no URL was set. */
export const callbackStates = ['pending', 'delivered', 'failed', 'no_url'] as const;
export type CallbackState = (typeof callbackStates)[number];
