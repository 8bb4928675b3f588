import type { Round } from '../domain/event.ts';
import type { Queryable } from '../platform/db/pool.ts';

export type NewRounds = {
  /** events in the order asked, each with its current round */
  asked: Round[];
  /** later events of the same transactions */
  taken: Round[];
  /** false if everything was already queued */
  begun: boolean;
};

/**
 * Starts a new round for each event, unless the first attempt of its current round is still due. Later
 * pending events of the same transactions get one too: their workflow may sleep up to a day until its next
 * attempt. `beginAttempt` keeps their order. An event without attempts stays with its workflow (round 0),
 * which is about to send it, if no earlier event was tried or taken over. `states` selects only events in
 * these states. Runs in the caller's transaction. All callers lock the rows in the same order.
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
  /** an attempt of its current round was begun */
  tried: boolean;
  /** an earlier event of its transaction was tried or taken over */
  behind: boolean;
};

/** True if the current round will still make its first attempt, so there is nothing to start. */
function isQueued(row: EventRow): boolean {
  return row.state === 'pending' && !row.tried && (row.round > 0 || !row.behind);
}

function isLeftToItsFlow(row: EventRow): boolean {
  return row.round === 0 && isQueued(row);
}

/** True if the workflow may sleep until the previous event ends, or until this event's next attempt. */
function mayItsWorkflowSleep(row: EventRow): boolean {
  return row.round === 0 || row.tried;
}

async function lockWithLater(db: Queryable, eventIds: readonly string[]): Promise<EventRow[]> {
  const locked = await db.query(
    `SELECT e.id FROM callback_events e WHERE e.id IN (
       SELECT unnest($1::text[])
       UNION SELECT later.id FROM callback_events asked JOIN callback_events later
         ON later.transaction_id = asked.transaction_id AND later.sequence > asked.sequence
           AND later.state = 'pending'
       WHERE asked.id = ANY($1))
     ORDER BY e.transaction_id, e.sequence, e.id FOR NO KEY UPDATE`,
    [eventIds],
  );
  // A new statement sees the changes of a resend that held the lock before.
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
