import type { Database, Queryable } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';

export type CallbackState = 'pending' | 'delivered' | 'failed' | 'no_url';

export type CallbackEvent = {
  id: string;
  transactionId: string | null;
  apiKeyId: string;
  event: string;
  sequence: number | null;
  /** the exact text that is sent */
  body: string;
  state: CallbackState;
  /** attempts made so far: the position in the retry schedule */
  attempts: number;
  nextAttemptAt: string | null;
  createdAt: string;
};

/** One event with the number of its attempts; null when the id is unknown. */
export async function loadEvent(db: Queryable, eventId: string): Promise<CallbackEvent | null> {
  const { rows } = await db.query(
    `SELECT e.id, e.transaction_id, e.api_key_id, e.event, e.sequence, e.body, e.state, e.next_attempt_at,
       e.created_at, (SELECT coalesce(max(a.number), 0) FROM callback_attempts a WHERE a.event_id = e.id) AS attempts
     FROM callback_events e WHERE e.id = $1`,
    [eventId],
  );
  const row = rows[0];
  if (!row) return null;
  return {
    id: row.id,
    transactionId: row.transaction_id,
    apiKeyId: row.api_key_id,
    event: row.event,
    sequence: row.sequence,
    body: row.body,
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    createdAt: row.created_at,
  };
}

export type Attempt = {
  number: number;
  sentAt: string;
  httpStatus: number | null;
  error: string | null;
  durationMs: number;
};

/** The attempts of an event, oldest first. */
export async function listAttempts(db: Queryable, eventId: string): Promise<Attempt[]> {
  const { rows } = await db.query(
    `SELECT number, sent_at, http_status, error, duration_ms FROM callback_attempts
     WHERE event_id = $1 ORDER BY number`,
    [eventId],
  );
  return rows.map((row) => ({
    number: row.number,
    sentAt: row.sent_at,
    httpStatus: row.http_status,
    error: row.error,
    durationMs: row.duration_ms,
  }));
}

export type AttemptRecord = Attempt & {
  eventId: string;
  state: CallbackState;
  /** ISO 8601; null when no further attempt follows */
  nextAttemptAt: string | null;
  /** the receiver said that it is gone: nothing more is sent to this URL of this key until it is set again */
  disable?: { keyId: string; url: string; reason: string };
};

/**
 * Writes one attempt and what follows from it, together. The same number again changes nothing, unless it is the
 * news that the event was delivered: an event that arrived is never sent again.
 */
export async function recordAttempt(database: Database, attempt: AttemptRecord): Promise<void> {
  await inTransaction(database, async (db) => {
    const { rowCount } = await db.query(
      `INSERT INTO callback_attempts (event_id, number, sent_at, http_status, error, duration_ms)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (event_id, number) DO NOTHING`,
      [
        attempt.eventId,
        attempt.number,
        attempt.sentAt,
        attempt.httpStatus,
        attempt.error,
        attempt.durationMs,
      ],
    );
    if (rowCount === 0 && attempt.state !== 'delivered') return;
    await db.query(
      `UPDATE callback_events SET state = $2, next_attempt_at = $3 WHERE id = $1 AND state <> 'delivered'`,
      [attempt.eventId, attempt.state, attempt.nextAttemptAt],
    );
    if (attempt.disable) await disableUrl(db, attempt.disable);
  });
}

/** Only while it is still the URL that answered: one that the merchant has set since is not to blame. */
async function disableUrl(
  db: Queryable,
  target: { keyId: string; url: string; reason: string },
): Promise<void> {
  await db.query('UPDATE api_keys SET callback_disabled_reason = $3 WHERE id = $1 AND callback_url = $2', [
    target.keyId,
    target.url,
    target.reason,
  ]);
}

/** Ends an event's delivery without an attempt. A delivered event stays delivered. */
export async function endDelivery(db: Queryable, eventId: string, state: 'failed' | 'no_url'): Promise<void> {
  await db.query(
    `UPDATE callback_events SET state = $2, next_attempt_at = NULL WHERE id = $1 AND state <> 'delivered'`,
    [eventId, state],
  );
}
