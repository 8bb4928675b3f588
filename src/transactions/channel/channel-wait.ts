import type { Queryable } from '../../platform/db/pool.ts';

/** Nobody has to look at what waits for its channel before its time is up, and this much later. */
const LATE = "interval '1 hour'";

/**
 * Notes that a transaction waits for its channel, until when at most, and when it looks again: the sweep takes it for lost
 * only after that. Recording its send ends the note. Nothing is noted of one that ended meanwhile.
 */
export async function noteWaiting(
  db: Queryable,
  { transactionId, until, pauseMs }: { transactionId: string; until: string; pauseMs: number },
): Promise<void> {
  await db.query(
    `UPDATE transactions SET waits_until = $2, due_at = now() + $3 * interval '1 millisecond',
       overdue_at = greatest(now(), $2::timestamptz) + ${LATE}
     WHERE id = $1 AND status = 'pending'`,
    [transactionId, until, pauseMs],
  );
}
