// Written by `npm run statements`: what each statement takes and gives.

export interface ReconciliationClosedDays {
  "INSERT INTO closed_days (account, day, lines, matched, booked, opening, closing, clearing, unbooked, unseen, together, closed_by, mac, reopened_by, reopened_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT (account, day) WHERE reopened_at IS NULL DO NOTHING": { values: [string, Date | string, number, number, number, number | null, number | null, number, number, number, string, string, string, string | null, string | Date | null]; rows: never[]; omits: 'closed_at' };
  "INSERT INTO line_dismissals (line_id, proposal_id) VALUES ($1, $2)": { values: [number, string]; rows: never[]; omits: never };
  "SELECT FROM statement_lines WHERE id = $1 AND running IS NOT NULL": { values: [number | null]; rows: {  }[] };
  "SELECT account, day::text AS day FROM closed_days WHERE reopened_at IS NULL\n     ORDER BY day, account /* never null: day */": { values: []; rows: { account: string; day: string }[] };
  "SELECT pg_advisory_xact_lock(hashtext('halves of sweeps'))": { values: []; rows: [{ pg_advisory_xact_lock: void | null }] };
  "SELECT pg_advisory_xact_lock(hashtext('statements of ' || $1))": { values: [string | null]; rows: [{ pg_advisory_xact_lock: void | null }] };
  "SELECT pg_try_advisory_xact_lock(hashtext('statements of ' || $1)) AS locked /* never null: locked */": { values: [string | null]; rows: [{ locked: boolean }] };
  "UPDATE closed_days SET reopened_by = $3, reopened_at = clock_timestamp()\n     WHERE account = $1 AND day = $2::text::date AND reopened_at IS NULL": { values: [string | null, string | null, string | null]; rows: never[] };
}
