// Written by `npm run statements`: what each statement takes and gives.

export interface LedgerLineDecisions {
  "INSERT INTO suspense_items (channel, space, receipt, transaction_id, amount, currency,\n       detail, transfer_id)\n     SELECT $1, space, CASE WHEN EXISTS (SELECT FROM bill_receipts b\n       WHERE b.space = own.space AND b.receipt = $2)\n         OR EXISTS (SELECT FROM suspense_items i\n           WHERE i.space = own.space AND i.receipt = $2 AND NOT i.is_void)\n       THEN $2 || '#ours#' || $9::bigint ELSE $2 END, $3, $4, $5, $6, $7\n     FROM receipt_space($8) AS own (space) ON CONFLICT (receipt, space) WHERE NOT is_void DO NOTHING": { values: [string, string | null, string | null, number, string, string, string | null, string | null, number | null]; rows: never[]; omits: 'id' | 'named_by' | 'left_by' | 'is_void' | 'created_at' };
  "SELECT a.code FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id WHERE e.id = $1": { values: [number | null]; rows: { code: string }[] };
  "UPDATE suspense_items SET left_by = $2 WHERE id = ANY($1) AND left_by IS NULL\n       AND (SELECT count(*) = 2 FROM (SELECT FROM suspense_items WHERE id = ANY($1) AND left_by IS NULL\n         ORDER BY id FOR NO KEY UPDATE) open)": { values: [readonly (string | null)[] | null, string | null]; rows: never[] };
}
