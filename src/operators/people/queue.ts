import type { Queryable, RowOf } from '../../platform/db/pool.ts';

/** A statement account's day must be closed by 10:00 on the next day, in Dar es Salaam. */
const CLOSED_AFTER = "interval '34 hours'";

const LATE = `
  SELECT 'attention' AS what, reason AS about, count(*) AS count, min(raised_at) AS since FROM attention
    WHERE resolved_at IS NULL AND raised_at < now() - interval '1 day' GROUP BY reason
  UNION ALL SELECT 'suspense', channel, count(*), min(created_at) FROM suspense_items
    WHERE is_open AND created_at < now() - interval '1 day' GROUP BY channel
  UNION ALL SELECT 'days', account, last - first + 1, first::timestamp AT TIME ZONE 'Africa/Dar_es_Salaam'
  FROM (
    SELECT a.account, ((now() AT TIME ZONE 'Africa/Dar_es_Salaam') - ${CLOSED_AFTER})::date AS last,
      coalesce((SELECT max(day) + 1 FROM closed_days c WHERE c.account = a.account AND reopened_at IS NULL),
        (SELECT min(from_at AT TIME ZONE 'Africa/Dar_es_Salaam')::date FROM statements s
          WHERE s.account = a.account AND voided_by IS NULL)) AS first
    FROM unnest($1::text[]) AS a (account)) days WHERE first <= last
  ORDER BY since /* never null: what, about, count, since */`;

const CHANGED = `
  SELECT 'proposals' AS what, state AS about, count(*) AS count, min(decided_at) AS since FROM proposals
    WHERE proposed_at >= $1::timestamptz - interval '1 day' AND decided_at >= $1 GROUP BY state
  UNION ALL SELECT 'attention', reason, count(*), min(raised_at) FROM attention
    WHERE resolved_at IS NULL AND raised_at >= $1 GROUP BY reason
  UNION ALL SELECT 'suspense', channel, count(*), min(created_at) FROM suspense_items
    WHERE is_open AND created_at >= $1 GROUP BY channel
  UNION ALL SELECT 'closed', coalesce(channel, 'all'), count(*), min(closed_at) FROM closures
    WHERE opened_by IS NULL AND closed_at >= $1 GROUP BY channel
  ORDER BY since /* never null: what, about, count, since */`;

export type Queued = RowOf<typeof LATE>;

/** Returns work that is late by a day or more. `accounts`: those whose statements are read. */
export async function lateNow(db: Queryable, accounts: readonly string[]): Promise<Queued[]> {
  return (await db.query(LATE, [accounts])).rows;
}

/** Returns changes since the sign-in before the newest one. Sessions are kept for two days. */
export async function changedSince(
  db: Queryable,
  name: string,
): Promise<{ since: string; changed: Queued[] }> {
  const { rows } = await db.query(
    `SELECT coalesce((SELECT s.created_at FROM operator_sessions s JOIN operator_tokens t ON t.id = s.token_id
       WHERE t.operator = $1 ORDER BY s.created_at DESC OFFSET 1 LIMIT 1), now() - interval '2 days') AS since
       /* never null: since */`,
    [name],
  );
  const since = rows[0]?.since ?? '';
  return { since, changed: (await db.query(CHANGED, [since])).rows };
}
