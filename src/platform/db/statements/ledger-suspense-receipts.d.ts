// Written by `npm run statements`: what each statement takes and gives.

export interface LedgerSuspenseReceipts {
  "SELECT FROM suspense_items WHERE space = $1 AND receipt = $2 AND NOT is_void AND strpos(detail, $3) = 0": { values: [string | null, string | null, string | null]; rows: {  }[] };
  "SELECT coalesce(i.id, m.transaction_id::text, m.id::text) AS of\n     FROM movement_names n JOIN movements m ON m.id = n.movement_id\n     LEFT JOIN entries e ON e.movement_id = m.id AND NOT e.takes_back\n     LEFT JOIN suspense_items i ON i.transfer_id = e.transfer_id\n     WHERE n.space = $1 AND n.plain = plain_name($2) AND n.freed_at IS NULL\n       AND m.amount = $3 AND m.currency = $4 LIMIT 1 /* never null: of */": { values: [string | null, string | null, number | null, string | null]; rows: { of: string }[] };
  "SELECT id, EXISTS (SELECT FROM transfers t\n       WHERE t.id = transfer_id AND t.line_id IS NOT NULL) AS \"isOfLine\"\n     FROM suspense_items WHERE transaction_id = $1 AND amount = $2 AND currency = $3 AND NOT is_void\n     LIMIT 1 FOR NO KEY UPDATE /* never null: isOfLine */": { values: [string | null, number | null, string | null]; rows: { id: string; isOfLine: boolean }[] };
  "SELECT id, space, transaction_id AS \"transactionId\", is_unresolved(id) AS \"isUnresolved\"\n     FROM suspense_items\n     WHERE id IN (SELECT items_called(receipt_space($1), $2)) ORDER BY receipt = $2 DESC LIMIT 1": { values: [string | null, string | null]; rows: { id: string; space: string; transactionId: string | null; isUnresolved: boolean | null }[] };
  "SELECT refuse_taken_receipt($1)": { values: [string | null]; rows: [{ refuse_taken_receipt: string | null }] };
  "UPDATE suspense_items SET transaction_id = $1 WHERE id = $2 AND transaction_id IS NULL": { values: [string | null, string | null]; rows: never[] };
}
