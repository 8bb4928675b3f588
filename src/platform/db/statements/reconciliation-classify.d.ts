// Written by `npm run statements`: what each statement takes and gives.

export interface ReconciliationClassify {
  "SELECT day::text AS day FROM closed_days\n     WHERE account = $1 AND reopened_at IS NULL /* never null: day */": { values: [string | null]; rows: { day: string }[] };
  "SELECT receipt, kind, status, amount FROM statement_lines\n     WHERE account = $1 AND plain_name(receipt) = ANY(plain_names($2)) AND NOT is_void": { values: [string | null, readonly (string | null)[] | null]; rows: { receipt: string | null; kind: 'adjustment' | 'fee' | 'funding' | 'opening' | 'payment' | 'payout' | 'return' | 'reversal' | 'sweep' | 'tax' | 'unknown'; status: 'done' | 'failed' | 'pending'; amount: number }[] };
}
