// Written by `npm run statements`: what each statement takes and gives.

export interface ReconciliationFetch {
  "SELECT coalesce((SELECT max(to_at) FROM statements WHERE account = $1 AND voided_by IS NULL),\n       (SELECT min(from_at) FROM statements WHERE account = $1)) AS last,\n       coalesce((SELECT max(to_at) FROM statements\n         WHERE account = $1 AND voided_by IS NULL AND imported_by <> $2),\n         (SELECT min(from_at) FROM statements WHERE account = $1 AND voided_by IS NULL)) AS floor": { values: [string | null, string | null]; rows: [{ last: string | null; floor: string | null }] };
}
