// Written by `npm run statements`: what each statement takes and gives.

export interface TransactionsRowsReceiptSpaces {
  "INSERT INTO receipt_spaces (connection, space) SELECT connection, space FROM jsonb_populate_recordset(NULL::receipt_spaces, $1) ON CONFLICT (connection) DO NOTHING": { values: [object | string | null]; rows: never[]; omits: 'noted_at' };
  "SELECT connection, r.space AS before, asked.space AS now\n     FROM receipt_spaces r JOIN unnest($1::text[], $2::text[]) AS asked (connection, space) USING (connection)\n     WHERE r.space <> asked.space ORDER BY connection": { values: [readonly (string | null)[] | null, readonly (string | null)[] | null]; rows: { connection: string; before: string; now: string | null }[] };
}
