// Written by `npm run statements`: what each statement takes and gives.

export interface TransactionsRowsCounts {
  "SELECT reason, count(*) AS count FROM attention WHERE resolved_at IS NULL GROUP BY reason\n       ORDER BY reason": { values: []; rows: { reason: string; count: number }[] };
  "SELECT type, mode, channel, status, count(*) AS count FROM transactions\n       WHERE created_at >= now() - make_interval(hours => $1) GROUP BY type, mode, channel, status\n       ORDER BY type, mode, channel, status": { values: [number | null]; rows: { type: string; mode: string; channel: string; status: string; count: number }[] };
}
