import type { Round } from '../domain/event.ts';
import type { Queryable } from '../platform/db/pool.ts';

/** The most events per statement. The sweep takes an event again only later, so all get their turn. */
const BATCH = 500;

/** Many events wait behind earlier ones of their transaction, and seldom need the sweep. */
const BEHIND_BATCH = 2_000;

/** Returns transactions with due events that their own workflow does not deliver. */
export async function takeUndelivered(db: Queryable, olderThanMs: number): Promise<string[]> {
  const { rows } = await db.query(
    `UPDATE callback_events SET swept_at = now() WHERE id = ANY(ARRAY(
       SELECT id FROM callback_events
       WHERE state = 'pending' AND round = 0 AND (sequence = 1 OR next_attempt_at IS NOT NULL)
         AND greatest(created_at, next_attempt_at, swept_at) < now() - 2 * $1 * interval '1 millisecond'
       ORDER BY greatest(created_at, next_attempt_at, swept_at) LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED))
     RETURNING transaction_id /* never null: transaction_id */`,
    [olderThanMs, BATCH],
  );
  return [...new Set(rows.map((row) => row.transaction_id))];
}

/**
 * Finds events that their transaction's workflow has not reached. After a resend, a new event may wait in a
 * workflow that sleeps for a day: it gets its own round, unless the workflow has reached an earlier event.
 * Returns transactions without an earlier pending event, because their workflow is gone.
 */
export async function takeBehind(db: Queryable, olderThanMs: number): Promise<string[]> {
  const looked = await db.query(
    `UPDATE callback_events SET swept_at = now() + 10 * $1 * interval '1 millisecond' WHERE id = ANY(ARRAY(
       SELECT id FROM callback_events
       WHERE state = 'pending' AND round = 0 AND sequence > 1 AND next_attempt_at IS NULL
         AND greatest(created_at, swept_at) < now() - 2 * $1 * interval '1 millisecond'
       ORDER BY greatest(created_at, swept_at) LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED))
     RETURNING id`,
    [olderThanMs, BEHIND_BATCH],
  );
  const ids = looked.rows.map((row) => row.id);
  await db.query(
    `UPDATE callback_events e SET round = 1, next_attempt_at = created_at, swept_at = NULL
     WHERE id = ANY($1) AND state = 'pending' AND round = 0 AND next_attempt_at IS NULL
       AND EXISTS (SELECT 1 FROM callback_events b
                   WHERE b.transaction_id = e.transaction_id AND b.sequence < e.sequence AND b.round > 0)
       AND NOT EXISTS (SELECT 1 FROM callback_events c
                       WHERE c.transaction_id = e.transaction_id AND c.sequence < e.sequence
                         AND c.state = 'pending' AND c.round = 0 AND c.next_attempt_at IS NOT NULL)`,
    [ids],
  );
  const { rows } = await db.query(
    `SELECT DISTINCT transaction_id FROM callback_events e
     WHERE id = ANY($1) AND state = 'pending' AND round = 0 AND next_attempt_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM callback_events b
                       WHERE b.transaction_id = e.transaction_id AND b.sequence < e.sequence
                         AND b.state = 'pending') /* never null: transaction_id */`,
    [ids],
  );
  return rows.map((row) => row.transaction_id);
}

/** Takes due rounds whose workflow was never started (a crash after the commit) or was lost. */
export async function takeUnattendedRounds(db: Queryable, olderThanMs: number): Promise<Round[]> {
  const { rows } = await db.query(
    `UPDATE callback_events SET swept_at = now() WHERE id = ANY(ARRAY(
       SELECT id FROM callback_events
       WHERE state = 'pending' AND round > 0
         AND greatest(created_at, next_attempt_at, swept_at) < now() - 2 * $1 * interval '1 millisecond'
       ORDER BY greatest(created_at, next_attempt_at, swept_at) LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED))
     RETURNING id, round`,
    [olderThanMs, BATCH],
  );
  return rows.map((row) => ({ eventId: row.id, round: row.round }));
}
