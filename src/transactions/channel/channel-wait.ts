import type { Queryable } from '../../platform/db/pool.ts';

/** A person looks only this long after the waiting time is over. */
const LATE = "interval '1 hour'";

/**
 * Records that a transaction waits for its channel, until when at most, and when it tries again. The sweep
 * treats it as lost only after that. Recording its send removes the note. Skips transactions that have
 * ended.
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
