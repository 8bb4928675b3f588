// Written by `npm run statements`: what each statement takes and gives.

export interface LedgerPayable {
  "SELECT FROM transfers t JOIN suspense_items i ON i.left_by = t.id\n     WHERE t.transaction_id = $1 AND t.kind = 'payback' AND i.id = $2": { values: [string | null, string | null]; rows: {  }[] };
  "UPDATE suspense_items i SET left_by = NULL FROM transfers t\n     WHERE i.id = $1 AND i.left_by = t.id AND t.transaction_id = $2 AND t.kind = 'payback'": { values: [string | null, string | null]; rows: never[] };
}
