// Written by `npm run statements`: what each statement takes and gives.

export interface ReconciliationCheck {
  "\n    INSERT INTO ledger_checkpoints (entry, at, sums)\n     SELECT $3, $4, coalesce(jsonb_object_agg(account, sum), '{}') FROM (\n       SELECT account, sum(amount) FROM (\n         SELECT key AS account, value::numeric AS amount FROM ledger_checkpoints, jsonb_each_text(sums)\n         WHERE id = $1\n         UNION ALL\n         SELECT ledger_account_id::text, amount FROM entries\n         WHERE id > $2 AND id <= $3 AND line IS NULL) parts\n       GROUP BY account) sums\n     RETURNING id, entry, at": { values: [number | null, number | null, number, string | Date]; rows: { id: number | null; entry: number | null; at: string | null }[]; omits: 'checked_at' };
  "SELECT coalesce(max(id), 0)::bigint AS entry, now() AS now FROM entries": { values: []; rows: [{ entry: number; now: string }] };
  "SELECT coalesce(min(created_at), now()) AS at FROM accounts": { values: []; rows: [{ at: string }] };
  "SELECT id, entry, at FROM ledger_checkpoints ORDER BY id DESC LIMIT 1": { values: []; rows: { id: number; entry: number; at: string }[] };
  "SELECT moment AS from, moment + $3 * interval '1 minute' AS to\n     FROM generate_series($1::timestamptz - $4 * interval '1 minute', $2::timestamptz,\n       $3 * interval '1 minute') moment /* never null: from, to */": { values: [string | Date | null, string | Date | null, number | null, number | null]; rows: { from: string; to: string }[] };
  "SELECT pg_current_xact_id()::text AS own": { values: []; rows: [{ own: string }] };
  "SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 AS none /* never null: none */": { values: [string | null]; rows: [{ none: boolean }] };
  "SET LOCAL statement_timeout = 60000": { values: []; rows: never[] };
  "SET LOCAL statement_timeout = 600000": { values: []; rows: never[] };
}
