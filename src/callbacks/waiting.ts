import type { Queryable } from '../platform/db/pool.ts';

/** Counting stops here, to bound the cost of a backlog. */
const COUNTED_MAX = 10_000;

export type CallbacksWaiting = {
  /** events that no receiver has taken yet, at most COUNTED_MAX */
  waiting: number;
  /** lateness of the most overdue attempt; 0: none. It may wait behind another event of its payment */
  lateSeconds: number;
  /** API keys whose URL has failed since its last success and is still tried */
  failingUrls: number;
};

export async function callbacksWaiting(db: Queryable): Promise<CallbacksWaiting> {
  const { rows } = await db.query(
    `SELECT (SELECT count(*)
       FROM (SELECT FROM callback_events WHERE state = 'pending' LIMIT ${COUNTED_MAX}) counted)::int
         AS waiting,
       greatest(0, extract(epoch FROM now() - least(
         (SELECT min(greatest(created_at, next_attempt_at, swept_at)) FROM callback_events
          WHERE state = 'pending' AND round = 0 AND (sequence = 1 OR next_attempt_at IS NOT NULL)),
         (SELECT min(greatest(created_at, next_attempt_at, swept_at)) FROM callback_events
          WHERE state = 'pending' AND round > 0))))::float8 AS late,
       (SELECT count(*) FROM api_keys
         WHERE callback_failing_since IS NOT NULL AND callback_disabled_reason IS NULL
          AND revoked_at IS NULL)::int AS failing /* never null: waiting, failing */`,
  );
  const { waiting, late, failing } = rows[0];
  return { waiting, lateSeconds: late ?? 0, failingUrls: failing };
}
