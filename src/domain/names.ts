/** Temporal's SDKs name this header. It carries the trace of a flow's first request to its activities. */
export const TRACE_HEADER = '_tracer-data';

export const REQUEST_ID_HEADER = 'request_id';

/** Operators search by these in the Temporal UI. They are never encrypted: no names, numbers or keys. */
export const attributes = {
  accountId: { name: 'AccountId', type: 'KEYWORD' },
  status: { name: 'TransactionStatus', type: 'KEYWORD' },
  channel: { name: 'Channel', type: 'KEYWORD' },
  /** in shillings */
  amount: { name: 'Amount', type: 'DOUBLE' },
  attention: { name: 'Attention', type: 'BOOL' },
} as const;
