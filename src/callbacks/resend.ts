import { randomBytes } from 'node:crypto';
import type { Database, Queryable } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import { GatewayError } from '../domain/errors.ts';
import { isEventId } from '../domain/ids.ts';

/** For this long after it happened an event can be sent again. */
export const RESEND_DAYS_MAX = 90;
/** Events that one request for a range of time queues; the answer says where the next one begins. */
export const RESEND_RANGE_MAX = 500;
/** How many lost resends one sweep starts; the rest waits for the next one. */
const SWEEP_MAX = 500;

/** A round that is to be started: its workflow is named after both, so that it is started once. */
export type Queued = { eventId: string; round: number };

/**
 * Queues an event to be sent again with the same bytes and id, whatever became of it: the schedule starts anew, at once.
 * Asked twice before the new round's first attempt, it stays one round. An event that its transaction's own workflow is
 * about to send for the first time is queued already: round 0, nothing to start.
 *
 * Throws `not_found` for an unknown event or one of another account, and `validation_failed` when it is too old or its
 * key has no URL to send it to.
 */
export async function resendEvent(
  database: Database,
  asked: { accountId: string; eventId: string; actor: string },
): Promise<Queued> {
  const { accountId, eventId, actor } = asked;
  const unknown = () => new GatewayError('not_found', 'There is no callback event with this id');
  if (!isEventId(eventId)) throw unknown();
  return inTransaction(database, async (db) => {
    const { rows } = await db.query(
      `SELECT e.round, e.state, k.callback_url, k.callback_disabled_reason,
         e.created_at < now() - make_interval(days => $3) AS too_old,
         EXISTS (SELECT 1 FROM callback_attempts a WHERE a.event_id = e.id AND a.round = e.round) AS tried
       FROM callback_events e JOIN api_keys k ON k.id = e.api_key_id
       WHERE e.id = $1 AND e.account_id = $2 FOR NO KEY UPDATE OF e`,
      [eventId, accountId, RESEND_DAYS_MAX],
    );
    const row = rows[0];
    if (!row) throw unknown();
    if (row.too_old) {
      throw new GatewayError(
        'validation_failed',
        `The event is older than ${RESEND_DAYS_MAX} days and is not sent again. Look its transaction up instead`,
      );
    }
    refuseWithoutUrl(row.callback_url, row.callback_disabled_reason);
    if (row.state === 'pending' && !row.tried) return { eventId, round: row.round };
    const round: number = row.round + 1;
    await db.query(
      `UPDATE callback_events SET state = 'pending', round = $2, next_attempt_at = now() WHERE id = $1`,
      [eventId, round],
    );
    await audit(db, { actor, action: 'callbacks.resend', subject: eventId, detail: { round } });
    return { eventId, round };
  });
}

export type Range = {
  accountId: string;
  /** inclusive, on the event's created_at; ISO 8601 */
  from: string;
  /** exclusive */
  to: string;
  states: ('failed' | 'no_url' | 'delivered')[];
  actor: string;
};

/**
 * Queues the events of a range of time, oldest first, at most 500: `nextFrom` is where the next request goes on, null
 * when nothing is left. Events whose key has no URL, or a disabled one, and those older than 90 days are left alone.
 */
export async function resendRange(
  database: Database,
  range: Range,
): Promise<{ queued: Queued[]; nextFrom: string | null }> {
  return inTransaction(database, async (db) => {
    const { rows } = await db.query(
      `SELECT e.id, e.created_at FROM callback_events e JOIN api_keys k ON k.id = e.api_key_id
       WHERE e.account_id = $1 AND e.created_at >= $2 AND e.created_at < $3 AND e.state = ANY($4)
         AND e.created_at >= now() - make_interval(days => $5)
         AND k.callback_url IS NOT NULL AND k.callback_disabled_reason IS NULL
       ORDER BY e.created_at, e.id LIMIT $6 FOR NO KEY UPDATE OF e`,
      [range.accountId, range.from, range.to, range.states, RESEND_DAYS_MAX, RESEND_RANGE_MAX + 1],
    );
    const chosen: string[] = rows.slice(0, RESEND_RANGE_MAX).map((row) => row.id);
    const nextFrom: string | null = rows[RESEND_RANGE_MAX]?.created_at ?? null;
    if (chosen.length === 0) return { queued: [], nextFrom };
    const updated = await db.query(
      `UPDATE callback_events SET state = 'pending', round = round + 1, next_attempt_at = now()
       WHERE id = ANY($1) RETURNING id, round`,
      [chosen],
    );
    const { from, to, states, actor } = range;
    const detail = { from, to, states, events: chosen.length };
    await audit(db, { actor, action: 'callbacks.resend_range', subject: range.accountId, detail });
    const rounds = new Map<string, number>(updated.rows.map((row) => [row.id, row.round]));
    return { queued: chosen.map((eventId) => ({ eventId, round: rounds.get(eventId) ?? 0 })), nextFrom };
  });
}

/**
 * Writes a `ping` for a key's URL: an event without a transaction, so its round is one of its own from the start.
 * Throws `validation_failed` when the key has no URL to send it to.
 */
export async function queuePing(db: Queryable, keyId: string): Promise<Queued> {
  const eventId = `evt_${randomBytes(16).toString('hex')}`;
  const { rows } = await db.query(
    `WITH key AS (SELECT id, callback_url, callback_disabled_reason FROM api_keys WHERE id = $1), made AS (
       INSERT INTO callback_events (id, api_key_id, event, body, round, next_attempt_at)
       SELECT $2, id, 'ping', format('{"event":"ping","event_id":"%s","timestamp":"%s"}', $2::text,
         to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')), 1, now()
       FROM key WHERE callback_url IS NOT NULL AND callback_disabled_reason IS NULL
     )
     SELECT callback_url, callback_disabled_reason FROM key`,
    [keyId, eventId],
  );
  const row = rows[0];
  if (!row) throw new GatewayError('not_found', 'No API key has this id');
  refuseWithoutUrl(row.callback_url, row.callback_disabled_reason);
  return { eventId, round: 1 };
}

/**
 * Rounds that are due and that nobody seems to be working on: their workflow was never started (a process ended between
 * commit and start) or was lost. Taken in turn (`swept_at`), so that many of them are all looked at.
 */
export async function takeUnattendedRounds(db: Queryable, olderThanMs: number): Promise<Queued[]> {
  const { rows } = await db.query(
    `UPDATE callback_events SET swept_at = now() WHERE id IN (
       SELECT id FROM callback_events
       WHERE state = 'pending' AND round > 0
         AND coalesce(next_attempt_at, created_at) < now() - 2 * $1 * interval '1 millisecond'
       ORDER BY coalesce(swept_at, created_at) LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED)
     RETURNING id, round`,
    [olderThanMs, SWEEP_MAX],
  );
  return rows.map((row) => ({ eventId: row.id, round: row.round }));
}

function refuseWithoutUrl(url: string | null, disabledReason: string | null): void {
  if (url === null) {
    throw new GatewayError(
      'validation_failed',
      'No callback URL is set for this API key: set one with PUT callbacks/settings first',
    );
  }
  if (disabledReason !== null) {
    throw new GatewayError(
      'validation_failed',
      `The callback URL is disabled (${disabledReason}): set it again with PUT callbacks/settings first`,
    );
  }
}

async function audit(
  db: Queryable,
  entry: { actor: string; action: string; subject: string; detail: object },
): Promise<void> {
  await db.query('INSERT INTO audit_log (actor, action, subject, detail) VALUES ($1, $2, $3, $4)', [
    entry.actor,
    entry.action,
    entry.subject,
    entry.detail,
  ]);
}
