import type { Queryable } from '../../platform/db/pool.ts';

/** A person must look this long after the waiting time is over. */
const LATE = "interval '1 hour'";

/**
 * Notes how long a pending transaction waits for its channel, and when it tries again. Until then the sweep
 * does not treat it as lost. Recording its send removes the note.
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
