import { workAtOnce } from '../base/at-once.ts';
import { GatewayError } from '../domain/errors.ts';
import type { Round } from '../domain/event.ts';
import { isEventId } from '../domain/ids.ts';
import { say } from '../domain/messages.ts';
import { type Actor, audit } from '../platform/db/audit.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { insertOwnEvent, newEventId, writeEvent } from './event.ts';
import { type DisabledReason, disabledReasons } from './failing.ts';
import { startRounds } from './rounds.ts';

export const RESEND_DAYS_MAX = 90;
/** The most events of one range request, including `taken`; the answer says where the next begins. */
export const RESEND_RANGE_MAX = 500;

/**
 * Queues an event again with the same bytes and id, whatever its state: the schedule starts anew at once. A
 * second request before the new round's first attempt joins that round. If the transaction's workflow is
 * about to send the event for the first time, it is already queued: round 0, nothing to start. `taken` are
 * later pending events of its transaction, each with a round to start too. Runs in the caller's transaction.
 * Throws `not_found` for an unknown event or another account's, and `validation_failed` if it is too old or
 * its key has no URL.
 */
export async function resendEvent(
  db: Queryable,
  asked: { accountId: string; eventId: string; actor: Actor },
): Promise<Round & { taken: Round[] }> {
  const { accountId, eventId, actor } = asked;
  const unknown = () => new GatewayError('not_found', say('no_callback_event'));
  if (!isEventId(eventId)) throw unknown();
  const { rows } = await db.query(
    `SELECT k.callback_url, k.callback_disabled_reason,
       e.created_at < now() - make_interval(days => $3) AS too_old
       FROM callback_events e JOIN api_keys k ON k.id = e.api_key_id WHERE e.id = $1 AND e.account_id = $2`,
    [eventId, accountId, RESEND_DAYS_MAX],
  );
  const row = rows[0];
  if (!row) throw unknown();
  if (row.too_old) {
    throw new GatewayError('validation_failed', say('event_too_old', { days: RESEND_DAYS_MAX }));
  }
  refuseWithoutUrl(row.callback_url, row.callback_disabled_reason);
  const { asked: queued, taken, begun } = await startRounds(db, [eventId]);
  const [own] = queued;
  if (!own) throw unknown();
  if (begun) {
    const detail = { round: own.round, later_events: taken.length };
    await audit(db, { actor, action: 'callbacks.resend', subject: eventId, detail });
  }
  return { eventId, round: own.round, taken };
}

export type Range = {
  accountId: string;
  /** inclusive, on the event's created_at; ISO 8601 */
  from: string;
  /** exclusive */
  to: string;
  states: ('failed' | 'no_url' | 'delivered')[];
  most?: number;
};

/**
 * Queues the events of a time range, oldest first; the next request continues at `nextFrom`, null: none left.
 * Skips events older than 90 days and those without an enabled URL. `taken` are later pending events of the
 * same transactions, sent afterwards. Queues at most `most`, including `taken`, but always one event with its
 * own `taken`. Runs in the caller's transaction. The audit log stores `addresses` if an operator asks.
 */
export async function resendRange(
  db: Queryable,
  range: Range & { actor: Actor; addresses?: string[] },
): Promise<{ queued: Round[]; taken: Round[]; nextFrom: string | null }> {
  const { chosen, nextFrom } = await chooseEvents(db, range);
  if (chosen.length === 0) return { queued: [], taken: [], nextFrom };
  const { from, to, states, actor, addresses } = range;
  const { asked: queued, taken } = await startRounds(db, chosen, states);
  const detail = { from, to, states, events: queued.length, later_events: taken.length };
  // The audit line names the readers and what they read, as for all personal data.
  const read = addresses && { addresses, read: queued.map(({ eventId }) => eventId) };
  const line = { actor, action: 'callbacks.resend_range', subject: range.accountId };
  await audit(db, { ...line, detail: { ...detail, ...read } });
  return { queued, taken, nextFrom };
}

const OF_RANGE = `FROM callback_events e JOIN api_keys k ON k.id = e.api_key_id
  WHERE e.account_id = $1 AND e.created_at >= $2 AND e.created_at < $3 AND e.state = ANY($4)
    AND e.created_at >= now() - make_interval(days => ${RESEND_DAYS_MAX})
    AND k.callback_url IS NOT NULL AND k.callback_disabled_reason IS NULL`;

export async function sizeOfRange(
  db: Queryable,
  range: Range,
): Promise<{ events: number; addresses: string[] }> {
  const { rows } = await db.query(
    `SELECT count(*) AS events,
       array_agg(DISTINCT coalesce(e.old_url, k.callback_url)) AS addresses ${OF_RANGE}`,
    [range.accountId, range.from, range.to, range.states],
  );
  return { events: rows[0].events, addresses: rows[0].addresses ?? [] };
}

/** Call it after the commit. Returns whether Temporal took all rounds; the sweep starts the others. */
export async function startDeliveries(
  rounds: Round[],
  deliver: (round: Round) => Promise<boolean>,
): Promise<boolean> {
  let isTaken = true;
  // Round 0 belongs to the transaction's workflow, which makes the first attempt.
  const own = rounds.filter(({ round }) => round > 0);
  await workAtOnce(own, async (round) => {
    if (isTaken && !(await deliver(round))) isTaken = false;
  });
  return isTaken;
}

/** A transaction's first event is sent together with the later ones; its weight includes them. */
async function chooseEvents(
  db: Queryable,
  range: Range,
): Promise<{ chosen: string[]; nextFrom: string | null }> {
  const { most = RESEND_RANGE_MAX } = range;
  const { rows } = await db.query(
    `WITH found AS (
       SELECT e.id, e.created_at, e.transaction_id, e.sequence ${OF_RANGE}
       ORDER BY e.created_at, e.sequence, e.id LIMIT $5
     ), placed AS (
       SELECT *, row_number() OVER (PARTITION BY transaction_id ORDER BY sequence, id) AS place FROM found
     )
     SELECT p.id, p.created_at,
       sum(1 + later.count) OVER (ORDER BY p.created_at, p.sequence, p.id)::integer AS weight
     FROM placed p CROSS JOIN LATERAL (
       SELECT count(*) FROM callback_events e
       WHERE p.place = 1 AND e.transaction_id = p.transaction_id AND e.sequence > p.sequence
         AND e.state = 'pending'
     ) later
     ORDER BY p.created_at, p.sequence, p.id /* never null: weight */`,
    [range.accountId, range.from, range.to, range.states, most + 1],
  );
  const full = rows.findIndex(({ weight }, at) => at > 0 && weight > most);
  const chosen = full === -1 ? rows : rows.slice(0, full);
  return { chosen: chosen.map(({ id }) => id), nextFrom: rows[full]?.created_at ?? null };
}

/** Writes a `ping` in its own round. Throws `validation_failed` if the key has no URL. */
export async function queuePing(db: Queryable, keyId: string): Promise<Round> {
  const { rows } = await db.query(
    `SELECT account_id, callback_url, callback_disabled_reason,
       to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS now /* never null: now */
     FROM api_keys WHERE id = $1`,
    [keyId],
  );
  const row = rows[0];
  if (!row) throw new GatewayError('not_found', say('no_api_key'));
  refuseWithoutUrl(row.callback_url, row.callback_disabled_reason);
  const [eventId, event] = [newEventId(), 'ping'] as const;
  const body = writeEvent<typeof event>({ event, event_id: eventId, timestamp: row.now });
  return insertOwnEvent(db, { eventId, accountId: row.account_id, apiKeyId: keyId, event, body });
}

function refuseWithoutUrl(url: string | null, disabledReason: DisabledReason | null): void {
  if (url === null) {
    throw new GatewayError('validation_failed', say('no_callback_url'), {
      errors: [{ field: 'callback_url', message: say('is_not_set') }],
    });
  }
  if (disabledReason !== null) {
    const reason = disabledReasons[disabledReason];
    throw new GatewayError('validation_failed', say('callback_url_disabled', { reason }), {
      errors: [{ field: 'callback_url', message: say('is_disabled', { reason }) }],
    });
  }
}
