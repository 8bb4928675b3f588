import type { Queryable } from '../db/pool.ts';
import type { CallbackEventName, CallbackState } from '../domain/event.ts';

/** One callback of a transaction, and how its delivery stands. */
export type CallbackSummary = {
  eventId: string;
  event: CallbackEventName;
  state: CallbackState;
  createdAt: string;
  nextAttemptAt: string | null;
  attempts: number;
  /** the latest attempt; null before the first one */
  last: { at: string; httpStatus: number | null; error: string | null } | null;
};

/** A bill that is paid in 500 parts has as many events: the newest are shown. */
const KEPT = 10;

/** The callbacks of transactions, oldest first. */
export async function callbackSummaries(
  db: Queryable,
  transactionIds: readonly string[],
): Promise<Map<string, CallbackSummary[]>> {
  const { rows } = await db.query(
    `SELECT e.*, (SELECT count(*) FROM callback_attempts a WHERE a.event_id = e.id) AS attempts,
       l.sent_at, l.http_status, l.error
     FROM unnest($1::uuid[]) AS wanted (id)
     CROSS JOIN LATERAL (SELECT id, transaction_id, event, state, created_at, next_attempt_at, sequence
       FROM callback_events WHERE transaction_id = wanted.id ORDER BY sequence DESC LIMIT ${KEPT}) e
     LEFT JOIN LATERAL (SELECT sent_at, http_status, error FROM callback_attempts
       WHERE event_id = e.id ORDER BY number DESC LIMIT 1) l ON true
     ORDER BY e.transaction_id, e.sequence /* never null: transaction_id */`,
    [transactionIds],
  );
  const summaries = new Map<string, CallbackSummary[]>(transactionIds.map((id) => [id, []]));
  for (const row of rows)
    summaries.get(row.transaction_id)?.push({
      eventId: row.id,
      event: row.event as CallbackEventName,
      state: row.state,
      createdAt: row.created_at,
      nextAttemptAt: row.next_attempt_at,
      attempts: Number(row.attempts),
      last: row.sent_at === null ? null : { at: row.sent_at, httpStatus: row.http_status, error: row.error },
    });
  return summaries;
}
