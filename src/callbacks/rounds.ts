import type { Round } from '../domain/event.ts';
import type { Queryable } from '../platform/db/pool.ts';

export type NewRounds = {
  /** events in the order asked, each in the round it is in now */
  asked: Round[];
  /** later events of the same transactions that were taken along */
  taken: Round[];
  /** false when all of it was queued already */
  begun: boolean;
};

/**
 * Starts a new round for every event asked for, unless the first attempt of its present round is still to come. Later
 * pending events of the same transactions get a round too: they wait behind the asked event in the transaction's own
 * workflow, and that may sleep until the next attempt, up to a day. `beginAttempt` keeps their order. An event without
 * an attempt, with no tried or taken-over event before it, stays with its transaction's workflow, which is about to
 * send it: round 0. `states` takes only events that are in one of these by now. Runs in the caller's transaction. Every
 * caller locks the rows in the same order.
 */
export async function startRounds(
  db: Queryable,
  eventIds: readonly string[],
  states?: readonly string[],
): Promise<NewRounds> {
  const wanted = new Set(eventIds);
  const rows = await lockWithLater(db, eventIds);
  const asked = rows.filter(
    (row) => wanted.has(row.id) && (states === undefined || states.includes(row.state)),
  );
  const first = new Map<string, number>();
  for (const row of asked) {
    if (row.transactionId === null || row.sequence === null || isLeftToItsFlow(row)) continue;
    first.set(row.transactionId, Math.min(row.sequence, first.get(row.transactionId) ?? row.sequence));
  }
  const taken = rows.filter(
    (row) =>
      !wanted.has(row.id) &&
      row.state === 'pending' &&
      mayItsWorkflowSleep(row) &&
      (row.sequence ?? 0) > (first.get(row.transactionId ?? '') ?? Number.POSITIVE_INFINITY),
  );
  const begun = await nextRound(db, [...asked.filter((row) => !isQueued(row)), ...taken]);
  const roundOf = (row: EventRow): Round => ({ eventId: row.id, round: begun.get(row.id) ?? row.round });
  const askedOf = new Map(asked.map((row) => [row.id, row]));
  return {
    asked: eventIds.flatMap((id) => {
      const row = askedOf.get(id);
      return row ? [roundOf(row)] : [];
    }),
    taken: taken.map(roundOf),
    begun: begun.size > 0,
  };
}

type EventRow = {
  id: string;
  transactionId: string | null;
  sequence: number | null;
  round: number;
  state: string;
  /** an attempt of its present round was made or begun */
  tried: boolean;
  /** an earlier event of its transaction was tried or taken over */
  behind: boolean;
};

/** Its present round is about to make its first attempt: nothing to start. */
function isQueued(row: EventRow): boolean {
  return row.state === 'pending' && !row.tried && (row.round > 0 || !row.behind);
}

function isLeftToItsFlow(row: EventRow): boolean {
  return row.round === 0 && isQueued(row);
}

/** Its workflow may sleep: until the event before it is over, or until the event's own next attempt. */
function mayItsWorkflowSleep(row: EventRow): boolean {
  return row.round === 0 || row.tried;
}

async function lockWithLater(db: Queryable, eventIds: readonly string[]): Promise<EventRow[]> {
  const locked = await db.query(
    `SELECT e.id FROM callback_events e WHERE e.id IN (
       SELECT unnest($1::text[])
       UNION SELECT later.id FROM callback_events asked JOIN callback_events later
         ON later.transaction_id = asked.transaction_id AND later.sequence > asked.sequence AND later.state = 'pending'
       WHERE asked.id = ANY($1))
     ORDER BY e.transaction_id, e.sequence, e.id FOR NO KEY UPDATE`,
    [eventIds],
  );
  // A new statement sees the changes of another resend for which this one waited.
  const { rows } = await db.query(
    `SELECT e.id, e.transaction_id AS "transactionId", e.sequence, e.round, e.state,
       EXISTS (SELECT 1 FROM callback_attempts a WHERE a.event_id = e.id AND a.event_at = e.created_at
         AND a.round = e.round) AS tried,
       EXISTS (SELECT 1 FROM callback_events b
               WHERE b.transaction_id = e.transaction_id AND b.sequence < e.sequence
                 AND (b.round > 0 OR EXISTS (SELECT 1 FROM callback_attempts a WHERE a.event_id = b.id
                   AND a.event_at = b.created_at))) AS behind
     FROM callback_events e WHERE e.id = ANY($1) ORDER BY e.transaction_id, e.sequence`,
    [locked.rows.map((row) => row.id)],
  );
  return rows as EventRow[];
}

async function nextRound(db: Queryable, rows: EventRow[]): Promise<Map<string, number>> {
  if (rows.length === 0) return new Map();
  const updated = await db.query(
    `UPDATE callback_events SET state = 'pending', round = round + 1, next_attempt_at = now()
     WHERE id = ANY($1) RETURNING id, round`,
    [rows.map((row) => row.id)],
  );
  return new Map(updated.rows.map((row) => [row.id, row.round]));
}
