// Written by `npm run statements`: what each statement takes and gives.

export interface ReconciliationSealing {
  "SELECT convert_from(substring(data_key FROM 3 FOR get_byte(data_key, 1)), 'UTF8') AS name, count(*)::int AS count FROM statements\n     GROUP BY 1 /* never null: name, count */": { values: []; rows: { name: string; count: number }[] };
  "SELECT id, data_key AS \"dataKey\" FROM statements WHERE convert_from(substring(data_key FROM 3 FOR get_byte(data_key, 1)), 'UTF8') <> $1\n       ORDER BY id LIMIT $2": { values: [string | null, number | null]; rows: { id: string; dataKey: Buffer }[] };
  "UPDATE statements SET data_key = $1 WHERE id = $2": { values: [Uint8Array | null, string | null]; rows: never[] };
}
