// Written by `npm run statements`: what each statement takes and gives.

export interface ReconciliationOpeningLine {
  "SELECT coalesce(sum(m.amount), 0)::bigint AS booked FROM movement_entries m\n     WHERE m.book = ANY($2) AND m.at < $4\n       AND (m.account = $1 OR m.account IS NULL\n         AND (m.connection IS NULL OR $3::text[] IS NULL OR m.connection = ANY($3)))\n       AND NOT EXISTS (SELECT FROM line_matches x JOIN statement_lines l ON l.id = x.line_id\n         WHERE x.entry_id = m.entry_id AND NOT x.is_freed AND (l.account <> $1 OR NOT l.is_void))\n     /* never null: booked */": { values: [string | null, readonly (string | null)[] | null, readonly (string | null)[] | null, string | Date | null]; rows: [{ booked: number }] };
}
