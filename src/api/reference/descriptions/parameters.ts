/** Each parameter whose schema does not describe it: by operationId and name, else by name. */
export const parameterDescriptions: Record<string, string> = {
  id: 'The `transaction_id`, or `id`, of the answer that created it',
  event_id: 'The `event_id` of the callback, or of a line of its log',
  batch_number: 'Of a CSV: your own number of the batch',
  allow_twins: 'Of a CSV: pay the same amount to the same recipient twice',
  quiet: 'Of a CSV: no callbacks of single items',
  start_at: 'Of a CSV: when it starts once it was approved',
  page: 'Which page, from 1; one after the last is empty',
  per_page: 'How many items a page has, at most 100',
  type: 'Only payments, only bills or only payouts; a QR code is a payment, a refund is a payout',
  status: 'Only those in this state now',
  mode: 'Only those made in this way: a push, a bill, a code, a standing number, a payout to a wallet or bank, a refund, or a settlement',
  reference:
    'A payment number, a control number, the customer reference of a standing number, a payout reference, or a receipt of the channel, in full',
  customer_reference: 'Your own name of whoever pays, in full',
  'getNumbers.reference': 'A control number, in full',
  phone_number: 'The number that paid or was paid, in any spelling that requests take',
  idempotency_key: 'The `Idempotency-Key` that created it, in full',
  from: 'Inclusive, by `created_at`',
  to: 'Exclusive, by `created_at`',
  'createBatch.format':
    'Of a file: `csv` for its own rows with a column Problem; it wins over the header `Accept`',
  format: '`csv` for all lines as a file; it wins over the header `Accept`',
  timezone: 'Of a CSV: `UTC` for times in UTC; else `at` is by the clocks of Dar es Salaam',
  'getCallbacks.transaction_id': 'Only the events of this transaction',
  'getCallbacks.event': 'Only events of this name',
  'getCallbacks.state':
    'Only those that wait (`pending`), arrived (`delivered`), ran out of attempts (`failed`) or had no address (`no_url`)',
};
