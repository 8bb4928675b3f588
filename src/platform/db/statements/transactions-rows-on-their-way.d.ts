// Written by `npm run statements`: what each statement takes and gives.

export interface TransactionsRowsOnTheirWay {
  "SELECT id, created_at FROM transactions\n    WHERE status = 'pending' AND mode IN ('refund', 'payback')\n    AND ($1::text IS NULL OR mode = $1)": { values: [string | null]; rows: { id: string; created_at: string }[] };
}
