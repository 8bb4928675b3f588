// Written by `npm run statements`: what each statement takes and gives.

export interface ReconciliationExplain {
  "INSERT INTO line_matches (entry_id, line_id, pass) SELECT entry_id, line_id, pass FROM jsonb_populate_recordset(NULL::line_matches, $1)": { values: [object | string | null]; rows: never[]; omits: 'matched_at' | 'is_freed' };
  "SELECT id, at FROM statement_lines WHERE statement_id = $1 AND kind = 'opening'": { values: [string | null]; rows: { id: number; at: string }[] };
}
