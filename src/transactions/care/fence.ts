import { GatewayError } from '../../domain/errors.ts';
import type { Mark } from '../../domain/mark.ts';
import { isMissingTable } from '../../platform/db/errors.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { only } from '../../platform/db/rows.ts';
import { agreedOn } from './agreed.ts';
import { resolveSubject } from './attention.ts';

/**
 * After a restore, or a failover that lost commits, Postgres no longer knows what was sent and paid. Temporal
 * keeps a mark of Postgres's progress. A database behind its mark, or another one, is fenced: nothing is
 * sent, accepted, or decided because a row is missing, until an operator runs `recover`
 * (docs/operations/restored.md).
 */
export const FENCE = 'postgres';

/** The caller retries; the retry works once the fence is lifted. */
export class FenceClosed extends Error {
  constructor(reason: string) {
    super(
      `Postgres was restored or replaced, and nothing is decided until an operator runs recover: ${reason}`,
    );
    this.name = 'FenceClosed';
  }
}

/** A workflow knows a transaction that Postgres does not: commits were lost. */
export class TransactionMissing extends Error {
  readonly transactionId: string;
  constructor(transactionId: string) {
    super(`transaction ${transactionId} does not exist`);
    this.name = 'TransactionMissing';
    this.transactionId = transactionId;
  }
}

/** SQL: timeline of the WAL being written (the control file shows a new one late). Fails on a standby. */
const TIMELINE = "('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int";
const A_STANDBY_TOOK_OVER = 'a standby took over';
const OLDER_COPY = 'it is older than what a process has seen of it';

export async function readMark(db: Queryable): Promise<Mark> {
  const { rows } = await db.query(
    `SELECT (SELECT system_identifier::text FROM pg_control_system()) AS system,
       ${TIMELINE} AS timeline, progress::float8,
       (SELECT last_value::float8 FROM control_number_serials) AS serial
     FROM fence /* never null: system, timeline, serial */`,
  );
  return only(rows);
}

/** Returns why this is not the database that Temporal knows; null if it is, or at the first start. */
export function breakOf(known: Mark | null, now: Mark): string | null {
  if (known === null) return null;
  if (now.system !== known.system) return 'this is another database cluster than before';
  if (now.timeline !== known.timeline) return A_STANDBY_TOOK_OVER;
  if (now.progress < known.progress)
    return `it is at step ${now.progress}, but was at step ${known.progress} before`;
  return null;
}

/** Closes the fence if Postgres is behind, and returns null; else returns the mark for Temporal. */
export async function passFence(db: Queryable, known: Mark | null): Promise<Mark | null> {
  const reason = breakOf(known, await readMark(db));
  if (reason !== null) await closeFence(db, reason);
  const { rowCount } = await db.query('UPDATE fence SET progress = progress + 1 WHERE closed_at IS NULL');
  return rowCount === 1 ? readMark(db) : null;
}

export type FenceGuard = (db: Queryable) => Promise<string | null>;

/**
 * Each process checks this on every new connection, and whenever it reads the fence. Closes the fence if a
 * standby took over (a new timeline) or the files are an older copy (behind what this process has seen).
 * Throws on a standby, and if the fence cannot be closed.
 */
export function createFenceGuard(): FenceGuard {
  let seen = { lifted: 0, position: 0 };
  return async (db) => {
    // Answers may arrive in any order, so compare with what was seen before asking.
    const before = seen;
    const now = await lookAt(db);
    if (now === null) return null;
    // An operator who lifted the fence accepted this database, so earlier positions do not count.
    const isBehind = now.lifted <= before.lifted && now.position < before.position;
    const reason = now.timeline !== now.known ? A_STANDBY_TOOK_OVER : isBehind ? OLDER_COPY : null;
    if (reason !== null && now.reason === null) await closeFence(db, reason);
    if (now.lifted > seen.lifted || (now.lifted === seen.lifted && now.position > seen.position)) seen = now;
    return now.reason ?? reason;
  };
}

/** Returns null before the first migration: there is nothing to guard. */
async function lookAt(db: Queryable) {
  const query = `SELECT reason, timeline AS known, ${TIMELINE} AS timeline,
      (pg_current_wal_flush_lsn() - '0/0')::float8 AS position,
      coalesce(extract(epoch FROM lifted_at), 0)::float8 AS lifted
    FROM fence /* never null: timeline, position */` as const;
  const { rows } = await db.query(query).catch((error) => {
    if (isMissingTable(error)) return { rows: [] };
    throw error;
  });
  return rows[0] ?? null;
}

export async function noteSwept(db: Queryable): Promise<void> {
  await db.query('UPDATE fence SET swept_at = now()');
}

export async function sweepAgeSeconds(db: Queryable): Promise<number> {
  const { rows } = await db.query(
    'SELECT extract(epoch FROM now() - swept_at)::float8 AS age FROM fence /* never null: age */',
  );
  return only(rows).age;
}

/** Keeps the first reason. One statement, so a closed fence always has its attention entry. */
export async function closeFence(db: Queryable, reason: string): Promise<void> {
  const detail =
    `Postgres does not remember what it did: ${reason}. ` +
    'Nothing is sent or decided until recover has run';
  await db.query(
    `WITH closed AS (UPDATE fence SET closed_at = now(), reason = $1 WHERE closed_at IS NULL RETURNING 1)
     INSERT INTO attention (subject, reason, detail) SELECT $2, 'restored', $3 FROM closed
     ON CONFLICT DO NOTHING`,
    [reason, FENCE, detail],
  );
}

export async function fenceOf(db: Queryable): Promise<string | null> {
  const { rows } = await db.query(prepared('SELECT reason FROM fence'));
  return rows[0]?.reason ?? null;
}

/** Returns the time of closing, which identifies the closing. Null while the fence is open. */
export async function whenFenced(db: Queryable): Promise<string | null> {
  const { rows } = await db.query('SELECT closed_at FROM fence');
  return rows[0]?.closed_at ?? null;
}

export const LIFT_ACTION = 'fence.lift';
/** Two operators agree to lift this closing of the fence with at most this many records missing. */
export type Lift = { closed_at: string; missing: number };

/** Returns the `missing` on which two operators agreed for the current closing; null: no agreement. */
export async function agreedToMiss(db: Queryable, proposalId: string): Promise<number | null> {
  const agreed = await agreedOn(db, { id: proposalId, action: LIFT_ACTION });
  const lift: Lift | null = agreed && JSON.parse(agreed.payload);
  return lift !== null && lift.closed_at === (await whenFenced(db)) ? lift.missing : null;
}

/** Throws FenceClosed. Call it before sending, accepting, or deciding because a row is missing. */
export async function requireOpenFence(db: Queryable): Promise<void> {
  requireOpen(await fenceOf(db));
}

/** Throws FenceClosed unless `reason` is null. Read it together with the rows that it guards. */
export function requireOpen(reason: string | null): void {
  if (reason !== null) throw new FenceClosed(reason);
}

/** Throws `conflict` while the fence is closed: this database may not know the money to be moved. */
export async function requireRecovered(db: Queryable): Promise<void> {
  if ((await fenceOf(db)) !== null)
    throw new GatewayError(
      'conflict',
      'Postgres does not remember what it did: run recover first (docs/operations/restored.md)',
    );
}

/**
 * Lifts the fence once everything is restored. Everything accepted until now counts as possibly sent. The
 * epoch is the lift's time plus one second: no restored copy repeats it, and events made while fenced have an
 * older epoch (callbacks/event.ts).
 */
export async function liftFence(db: Queryable, known: Mark | null): Promise<Mark> {
  await db.query(
    `UPDATE fence
     SET closed_at = NULL, reason = NULL, lifted_at = clock_timestamp(),
       epoch = greatest(epoch + 1, extract(epoch FROM clock_timestamp())::bigint) + 1,
       progress = greatest(progress, $1) + 1, timeline = ${TIMELINE}`,
    [known?.progress ?? 0],
  );
  await resolveSubject(db, FENCE);
  return readMark(db);
}
