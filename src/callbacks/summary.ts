import type { CallbackEventName, CallbackState } from '../domain/event.ts';
import type { Queryable } from '../platform/db/pool.ts';

export type CallbackSummary = {
  eventId: string;
  event: CallbackEventName;
  state: CallbackState;
  createdAt: string;
  nextAttemptAt: string | null;
  attempts: number;
  /** the latest attempt; null before the first */
  last: { at: string; httpStatus: number | null; error: string | null } | null;
};

/** A bill paid in 500 parts has as many events; only the newest are shown. */
const KEPT = 10;

/** Oldest first. */
export async function callbackSummaries(
  db: Queryable,
  transactionIds: readonly string[],
): Promise<Map<string, CallbackSummary[]>> {
  const { rows } = await db.query(
    `SELECT e.id AS "eventId", e.transaction_id, e.event, e.state, e.created_at AS "createdAt",
       e.next_attempt_at AS "nextAttemptAt",
       (SELECT count(*) FROM callback_attempts a WHERE a.event_id = e.id) AS attempts,
       l.sent_at AS at, l.http_status AS "httpStatus", l.error
     FROM unnest($1::uuid[]) AS wanted (id)
     CROSS JOIN LATERAL (SELECT id, transaction_id, event, state, created_at, next_attempt_at, sequence
       FROM callback_events WHERE transaction_id = wanted.id ORDER BY sequence DESC LIMIT ${KEPT}) e
     LEFT JOIN LATERAL (SELECT sent_at, http_status, error FROM callback_attempts
       WHERE event_id = e.id ORDER BY number DESC LIMIT 1) l ON true
     ORDER BY e.transaction_id, e.sequence /* never null: transaction_id */`,
    [transactionIds],
  );
  const summaries = new Map<string, CallbackSummary[]>(transactionIds.map((id) => [id, []]));
  for (const { transaction_id: id, at, httpStatus, error, ...event } of rows) {
    const last = at === null ? null : { at, httpStatus, error };
    summaries.get(id)?.push({ ...event, last } as CallbackSummary);
  }
  return summaries;
}
