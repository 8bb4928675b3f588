import { COUNTED_MAX, type Listed, type Page, readList, totalOf } from '../db/listing.ts';
import type { Database, Queryable, RowOf } from '../db/pool.ts';
import { only } from '../db/rows.ts';
import { queryUnlisted } from '../db/unlisted.ts';
import type { CallbackEventName, CallbackState } from '../domain/event.ts';

export type LoggedAttempt = {
  number: number;
  sentAt: string;
  httpStatus: number | null;
  error: string | null;
  /** null: under way, or its process ended before the answer was noted */
  durationMs: number | null;
};

export type LoggedCallback = {
  eventId: string;
  event: CallbackEventName;
  /** null: a ping */
  transactionId: string | null;
  sequence: number | null;
  state: CallbackState;
  createdAt: string;
  nextAttemptAt: string | null;
  /** oldest first; of an event that was resent very often the newest 100 */
  attempts: LoggedAttempt[];
};

/** Everything that is given must hold. Times are ISO 8601. */
type CallbackFilter = {
  transactionId?: string | undefined;
  event?: string | undefined;
  state?: CallbackState | undefined;
  /** inclusive, on created_at */
  from?: string | undefined;
  /** exclusive */
  to?: string | undefined;
};

const ATTEMPTS_MAX = 100;

/**
 * One page of an account's callback events, newest first, with their attempts, and how many there are in all: counting
 * stops at 100,000. Throws `validation_failed` for what takes longer than 2 s.
 */
export function listCallbacks(
  database: Database,
  options: { accountId: string; filter: CallbackFilter } & Page,
): Promise<Listed<LoggedCallback>> {
  const { where, parameters } = conditionsOf(options.accountId, options.filter);
  const offset = (options.page - 1) * options.perPage;
  return readList(database, async (db) => {
    const counted = await queryUnlisted<{ counted: number }>(
      db,
      'a list of callbacks',
      `SELECT count(*) AS counted FROM (SELECT FROM callback_events e WHERE ${where} LIMIT ${COUNTED_MAX + 1}) matching`,
      parameters,
    );
    const { rows } = await queryUnlisted<EventRow>(
      db,
      'a list of callbacks',
      `SELECT e.id, e.event, e.transaction_id, e.sequence, e.state, e.created_at, e.next_attempt_at
       FROM callback_events e WHERE ${where}
       ORDER BY e.created_at DESC, e.id DESC LIMIT $${parameters.length + 1} OFFSET $${parameters.length + 2}`,
      [...parameters, options.perPage, offset],
    );
    const attempts = await attemptsOf(
      db,
      rows.map((row) => row.id),
    );
    const items = rows.map((row) => toCallback(row, attempts.get(row.id) ?? []));
    return { items, ...totalOf(only(counted.rows).counted, COUNTED_MAX) };
  });
}

function conditionsOf(accountId: string, filter: CallbackFilter) {
  const parameters: unknown[] = [accountId];
  const conditions = ['e.account_id = $1'];
  const add = (condition: string, value: unknown) => {
    if (value === undefined) return;
    parameters.push(value);
    conditions.push(condition.replace('?', `$${parameters.length}`));
  };
  add('e.transaction_id = ?', filter.transactionId);
  add('e.event = ?', filter.event);
  add('e.state = ?', filter.state);
  add('e.created_at >= ?', filter.from);
  add('e.created_at < ?', filter.to);
  return { where: conditions.join(' AND '), parameters };
}

const ATTEMPTS = `SELECT a.event_id, a.number, a.sent_at, a.http_status, a.error, a.duration_ms
     FROM callback_events wanted
     CROSS JOIN LATERAL (SELECT * FROM callback_attempts c WHERE c.event_id = wanted.id AND c.event_at = wanted.created_at
                         ORDER BY c.number DESC LIMIT $2) a
     WHERE wanted.id = ANY($1::text[]) ORDER BY a.event_id, a.number`;
type AttemptRow = RowOf<typeof ATTEMPTS>;
/** A row of callback_events, as a list reads it. */
type EventRow = {
  id: string;
  event: CallbackEventName;
  transaction_id: string | null;
  sequence: number;
  state: CallbackState;
  created_at: string;
  next_attempt_at: string | null;
};

async function attemptsOf(db: Queryable, eventIds: string[]): Promise<Map<string, LoggedAttempt[]>> {
  const { rows } = await db.query(ATTEMPTS, [eventIds, ATTEMPTS_MAX]);
  const byEvent = new Map<string, LoggedAttempt[]>();
  for (const row of rows) byEvent.set(row.event_id, [...(byEvent.get(row.event_id) ?? []), toAttempt(row)]);
  return byEvent;
}

function toAttempt(row: AttemptRow): LoggedAttempt {
  return {
    number: row.number,
    sentAt: row.sent_at,
    httpStatus: row.http_status,
    error: row.error,
    durationMs: row.duration_ms,
  };
}

function toCallback(row: EventRow, attempts: LoggedAttempt[]): LoggedCallback {
  return {
    eventId: row.id,
    event: row.event,
    transactionId: row.transaction_id,
    sequence: row.sequence,
    state: row.state,
    createdAt: row.created_at,
    nextAttemptAt: row.next_attempt_at,
    attempts,
  };
}
