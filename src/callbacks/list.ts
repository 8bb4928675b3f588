import type { CallbackEventName, CallbackState } from '../domain/event.ts';
import { COUNTED_MAX, type Listed, type Page, readList, totalOf } from '../platform/db/listing.ts';
import type { Database, Queryable } from '../platform/db/pool.ts';
import { only } from '../platform/db/rows.ts';
import { queryUnlisted } from '../platform/db/unlisted.ts';

export type LoggedAttempt = {
  number: number;
  sentAt: string;
  httpStatus: number | null;
  error: string | null;
  /** null: under way, or the process ended before it stored the answer */
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
  /** oldest first; at most the newest 100 */
  attempts: LoggedAttempt[];
};

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

/** Lists events, newest first; counting stops at 100,000. Throws `validation_failed` after 2 s. */
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
      `SELECT count(*) AS counted
       FROM (SELECT FROM callback_events e WHERE ${where} LIMIT ${COUNTED_MAX + 1}) matching`,
      parameters,
    );
    const { rows } = await queryUnlisted<Omit<LoggedCallback, 'attempts'>>(
      db,
      'a list of callbacks',
      `SELECT e.id AS "eventId", e.event, e.transaction_id AS "transactionId", e.sequence, e.state,
         e.created_at AS "createdAt", e.next_attempt_at AS "nextAttemptAt"
       FROM callback_events e WHERE ${where}
       ORDER BY e.created_at DESC, e.id DESC
       LIMIT $${parameters.length + 1} OFFSET $${parameters.length + 2}`,
      [...parameters, options.perPage, offset],
    );
    const attempts = await attemptsOf(
      db,
      rows.map(({ eventId }) => eventId),
    );
    const items = rows.map((row) => ({ ...row, attempts: attempts.get(row.eventId) ?? [] }));
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

async function attemptsOf(db: Queryable, eventIds: string[]): Promise<Map<string, LoggedAttempt[]>> {
  const { rows } = await db.query(
    `SELECT a.event_id AS "eventId", a.number, a.sent_at AS "sentAt", a.http_status AS "httpStatus", a.error,
       a.duration_ms AS "durationMs"
     FROM callback_events wanted
     CROSS JOIN LATERAL (SELECT * FROM callback_attempts c
       WHERE c.event_id = wanted.id AND c.event_at = wanted.created_at
                         ORDER BY c.number DESC LIMIT $2) a
     WHERE wanted.id = ANY($1::text[]) ORDER BY a.event_id, a.number`,
    [eventIds, ATTEMPTS_MAX],
  );
  const byEvent = new Map<string, LoggedAttempt[]>();
  for (const { eventId, ...attempt } of rows)
    byEvent.set(eventId, [...(byEvent.get(eventId) ?? []), attempt]);
  return byEvent;
}
