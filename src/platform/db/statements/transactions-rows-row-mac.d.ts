// Written by `npm run statements`: what each statement takes and gives.

export interface TransactionsRowsRowMac {
  "SELECT t.id, json_build_object('id', t.id, 'of', t.account_id, 'connection', t.connection,\n  'to', CASE WHEN t.mode NOT IN ('billpay', 'qr', 'number')\n    THEN coalesce(t.msisdn, t.bic || ':' || t.account_number) END,\n  'amount', t.amount, 'currency', t.currency, 'mac', t.mac) AS party FROM transactions t\n       WHERE t.id > $1 AND (t.status = 'pending' OR $2) ORDER BY t.id LIMIT $3": { values: [string | null, boolean | null, number | null]; rows: { id: string; party: unknown }[] };
}
