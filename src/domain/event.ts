/** Callback events of a transaction (docs/callbacks.md) and the latest-event values of lookups. */
export type CallbackEventName =
  | 'payment.received'
  | 'payment.failed'
  | 'payout.completed'
  | 'payout.failed'
  | 'ping';
