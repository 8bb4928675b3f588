import { inEnglish } from '../domain/messages.ts';
import type { Database, Queryable } from '../platform/db/pool.ts';
import { prepared } from '../platform/db/prepared.ts';
import { proves } from '../platform/db/proofs.ts';
import { only } from '../platform/db/rows.ts';
import { inTransaction } from '../platform/db/transaction.ts';
import { type DisabledReason, disabledReasons, noteFailure } from './failing.ts';
import { livePassphrases } from './settings.ts';

/** An unfinished attempt counts as interrupted if `noteAlive` did not run for this long. */
const ATTEMPT_LEASE_MS = 10_000;
/** How often a process calls `noteAlive` during a long attempt. */
export const ALIVE_EVERY_MS = 3_000;
/** Shown until the attempt's end is stored. */
const UNFINISHED = 'under way, or interrupted before the answer was noted';

export type BegunAttempt = {
  eventId: string;
  apiKeyId: string;
  number: number;
  round: number;
  /** number of earlier attempts in this round: the position in the retry schedule */
  position: number;
  /** Postgres's clock; receivers compare it with theirs */
  sentAtMs: number;
  event: string;
  transactionId: string | null;
  sequence: number | null;
  body: string;
  mac: string | null;
  url: string;
  /** sealed passphrases, newest first */
  ciphertexts: Buffer[];
};

export type Beginning =
  | ({ kind: 'begun' } & BegunAttempt)
  | { kind: 'delivered' | 'failed' | 'no_url' | 'superseded' }
  /** a restore lost the event; another event with another id reports the same */
  | { kind: 'lost' }
  | { kind: 'disabled'; reason: string }
  /** another attempt of this event is under way for at most `afterMs` more */
  | { kind: 'busy'; afterMs: number }
  /** `ahead` earlier events come first; the next attempt of one is due after `afterMs` */
  | { kind: 'waiting'; afterMs: number; ahead: number };

const ATTEMPT = `event_id = $1 AND number = $2
    AND event_at = (SELECT created_at FROM callback_events WHERE id = $1)`;

const BEGIN = prepared(`
  WITH event AS (
    SELECT e.id, e.created_at, e.api_key_id, e.event, e.transaction_id, e.sequence, e.body, e.mac, e.round,
      coalesce(e.old_url, k.callback_url) AS callback_url, k.callback_disabled_reason,
      made.last, made.position, coalesce(e.old_passphrases, ${livePassphrases}) AS ciphertexts,
      extract(epoch FROM coalesce(made.busy_until, earlier.due) - now()) * 1000 AS wait_ms, earlier.ahead,
      CASE WHEN e.round <> $2 THEN 'superseded'
           WHEN e.state IN ('delivered', 'failed') THEN e.state
           WHEN coalesce(e.old_url, k.callback_url) IS NULL THEN 'no_url'
           WHEN e.old_url IS NULL AND k.callback_disabled_reason IS NOT NULL THEN 'disabled'
           WHEN made.busy_until IS NOT NULL THEN 'busy'
           WHEN earlier.due IS NOT NULL THEN 'waiting'
           ELSE 'begun' END AS kind
    FROM callback_events e
    JOIN api_keys k ON k.id = e.api_key_id
    CROSS JOIN LATERAL (
      SELECT coalesce(max(a.number), 0) AS last, count(*) FILTER (WHERE a.round = e.round) AS position,
        max(alive.at + $3 * interval '1 millisecond')
          FILTER (WHERE a.duration_ms IS NULL
            AND alive.at > now() - $3 * interval '1 millisecond') AS busy_until
      FROM callback_attempts a, LATERAL (SELECT greatest(a.sent_at, a.alive_at) AS at) alive
      WHERE a.event_id = e.id AND a.event_at = e.created_at
    ) made
    CROSS JOIN LATERAL (
      SELECT min(coalesce(b.next_attempt_at, now())) AS due, count(*) AS ahead FROM callback_events b
      WHERE b.transaction_id = e.transaction_id AND b.sequence < e.sequence AND b.state = 'pending'
    ) earlier
    WHERE e.id = $1
  ), begun AS (
    INSERT INTO callback_attempts (event_id, event_at, number, round, sent_at, error)
    SELECT id, created_at, last + 1, round, clock_timestamp(), $4 FROM event WHERE kind = 'begun'
    ON CONFLICT DO NOTHING RETURNING number
  )
  SELECT kind, wait_ms, ahead, callback_disabled_reason, id AS "eventId",
  api_key_id AS "apiKeyId", event.event, transaction_id AS "transactionId", sequence, mac,
    begun.number, round, event.position,
    extract(epoch FROM clock_timestamp())::float8 * 1000 AS "sentAtMs", body, callback_url AS url, ciphertexts
  FROM event LEFT JOIN begun ON true
  /* never null: eventId, apiKeyId, event, body, round, position, ahead, kind, sentAtMs, ciphertexts */`);

/**
 * Stores an attempt before its first byte leaves. The same statement decides whether it may be made: the
 * round is current, no other attempt of this event is under way, and no earlier event of its transaction is
 * undelivered. Throws if the event is missing while the fence is closed.
 */
export async function beginAttempt(
  db: Queryable,
  options: { eventId: string; round: number },
): Promise<Beginning> {
  const { rows } = await db.query(BEGIN, [options.eventId, options.round, ATTEMPT_LEASE_MS, UNFINISHED]);
  const row = rows[0];
  if (!row) {
    const { reason } = only((await db.query('SELECT reason FROM fence')).rows);
    if (reason !== null) throw new Error(`callback event ${options.eventId} is not there: ${reason}`);
    return { kind: 'lost' };
  }
  const { kind, wait_ms: waitMs, ahead, callback_disabled_reason: why, number, url, ...attempt } = row;
  const afterMs = Math.max(0, Math.round(Number(waitMs)));
  if (kind === 'busy') return { kind, afterMs };
  if (kind === 'waiting') return { kind, afterMs, ahead };
  if (kind === 'disabled') return { kind, reason: inEnglish(disabledReasons[why as DisabledReason]) };
  if (kind !== 'begun') return { kind: kind as 'delivered' | 'failed' | 'no_url' | 'superseded' };
  // Another process began at the same moment.
  if (number === null || url === null) return { kind: 'busy', afterMs: ATTEMPT_LEASE_MS };
  return { kind, ...attempt, number, url };
}

/** While this runs, no other process may begin an attempt. */
export async function noteAlive(db: Queryable, { eventId, number }: BegunAttempt): Promise<void> {
  await db.query(`UPDATE callback_attempts SET alive_at = now() WHERE ${ATTEMPT} AND duration_ms IS NULL`, [
    eventId,
    number,
  ]);
}

/** Returns true if our process wrote this event and nobody changed it; otherwise alerts operators. */
export function isOwnEvent(
  db: Queryable,
  asked: Pick<BegunAttempt, 'eventId' | 'apiKeyId' | 'event' | 'transactionId' | 'sequence' | 'body' | 'mac'>,
): Promise<boolean> {
  const {
    eventId: id,
    apiKeyId: api_key_id,
    transactionId: transaction_id,
    event,
    sequence,
    body,
    mac,
  } = asked;
  return proves(db, 'callback_events', { id, api_key_id, event, transaction_id, sequence, body, mac });
}

export async function withdrawAttempt(db: Queryable, { eventId, number }: BegunAttempt): Promise<void> {
  await db.query(`DELETE FROM callback_attempts WHERE ${ATTEMPT} AND duration_ms IS NULL`, [eventId, number]);
}

export type AttemptEnd = { httpStatus: number | null; error: string | null; durationMs: number };

const FINISH = `UPDATE callback_attempts SET http_status = $3, error = $4, duration_ms = $5
  WHERE ${ATTEMPT} AND duration_ms IS NULL` as const;

const finishing = ({ eventId, number }: BegunAttempt, end: AttemptEnd) =>
  [eventId, number, end.httpStatus, end.error, end.durationMs] as const;

/** A delivered event stays delivered. A resend requested during this attempt still runs. */
export async function noteDelivered(db: Queryable, attempt: BegunAttempt, end: AttemptEnd): Promise<void> {
  await db.query(
    prepared(`WITH finished AS (${FINISH}), works AS (
       UPDATE api_keys SET callback_failing_since = NULL
       WHERE id = $6 AND callback_url = $7 AND callback_failing_since IS NOT NULL
     )
     UPDATE callback_events SET state = 'delivered', next_attempt_at = NULL
     WHERE id = $1 AND round = $8 AND state <> 'delivered'`),
    [...finishing(attempt, end), attempt.apiKeyId, attempt.url, attempt.round],
  );
}

/**
 * Stores the end with the next step; `afterMs` null: no next step. Skips an event that was delivered or is in
 * another round. Returns why the URL was disabled, if this attempt did so.
 */
export async function noteNotDelivered(
  database: Database,
  attempt: BegunAttempt,
  end: AttemptEnd & { afterMs: number | null; isGone: boolean },
): Promise<{ disabledReason: DisabledReason | null }> {
  return inTransaction(database, async (db) => {
    await db.query(FINISH, finishing(attempt, end));
    const { apiKeyId: keyId, url, eventId, round } = attempt;
    const disabledReason = await noteFailure(db, { keyId, url, eventId, round, isGone: end.isGone });
    const over = disabledReason !== null || end.afterMs === null;
    await db.query(
      `UPDATE callback_events SET state = $3, next_attempt_at = now() + $4 * interval '1 millisecond'
       WHERE id = $1 AND round = $2 AND state <> 'delivered'`,
      [attempt.eventId, attempt.round, over ? 'failed' : 'pending', over ? null : end.afterMs],
    );
    return { disabledReason };
  });
}

/** Ends a round without an attempt. A delivered event stays delivered. */
export async function endDelivery(
  db: Queryable,
  end: { eventId: string; round: number; state: 'failed' | 'no_url' },
): Promise<void> {
  await db.query(
    `UPDATE callback_events SET state = $3, next_attempt_at = NULL
     WHERE id = $1 AND round = $2 AND state <> 'delivered'`,
    [end.eventId, end.round, end.state],
  );
}
