// Written by `npm run statements`: what each statement takes and gives.

export interface ReconciliationCorrectOurs {
  "SELECT FROM transactions WHERE id IN (\n       SELECT m.transaction_id FROM entries e JOIN movements m ON m.id = e.movement_id WHERE e.id = $1\n       UNION SELECT b.prompt_id FROM entries e JOIN movements m ON m.id = e.movement_id\n         JOIN bill_receipts b ON b.transaction_id = m.transaction_id AND b.number = m.part WHERE e.id = $1\n       UNION SELECT $2::uuid)\n     ORDER BY id FOR NO KEY UPDATE": { values: [number | null, string | null]; rows: {  }[] };
  "SELECT m.amount, m.currency, m.book, m.connection, m.transaction_id,\n       coalesce(m.receipts[1], CASE WHEN m.transaction_id IS NOT NULL THEN m.ours[1] END, t.reference,\n         'line:' || t.line_id) AS name\n     FROM movement_entries m JOIN transfers t ON t.id = m.transfer_id\n     WHERE m.entry_id = $1 /* never null: amount, currency, book, name */": { values: [number | null]; rows: { amount: number; currency: string; book: string; connection: string | null; transaction_id: string | null; name: string }[] };
}
