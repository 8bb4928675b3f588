import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { applyGrants } from './grants.ts';
import { type Migration, readMigrations } from './migrations.ts';
import type { Database } from './pool.ts';
import { applyRetention } from './retention.ts';

/** Limit of a statement that blocks nobody, and of the wait for another process's migration. */
const PATIENCE_MS = 6 * 3_600_000;
/** While a file waits for a table's lock, later statements wait behind it, for at most this long. */
const LOCK_TIMEOUT_MS = 1_000;
/** A request waits 5 s for a lock (pool.ts), so a file that holds its locks for less fails no request. */
const TRANSACTION_TIMEOUT_MS = 4_000;
const BATCHES_MAX = 1_000_000;

/** The lock did not come in time, or two transactions waited for each other. */
const LOCKED_OUT = new Set(['55P03', '40P01']);
const TRANSACTION_TIMEOUT = '25P04';

export class OtherMigrations extends Error {
  constructor(name: string) {
    super(`this database is of another version: its migration ${name} is not the one of this version`);
    this.name = 'OtherMigrations';
  }
}

export type MigrateOptions = {
  /** for tests */
  folder?: string;
  /** attempts at a file while another session holds its tables */
  lockAttemptsMax?: number;
  /** pause between two attempts; between two batches a tenth of it. Payments continue meanwhile */
  pauseMs?: number;
};

/**
 * Applies the missing files of migrations/ while payments continue, one process at a time; each file says how
 * it runs (migrations.ts). Then grants the roles their rights (grants.ts). Returns the names applied. After a
 * failure the applied files stay, and the next run continues there. Files of a newer version are ignored, so
 * that a rollback is possible. Throws OtherMigrations and changes nothing if an applied file differs here or
 * was skipped. Needs a direct connection: a pooler in transaction mode loses the lock.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<string[]> {
  const { folder, lockAttemptsMax = 100, pauseMs = 2_000 } = options;
  const files = await readMigrations(folder);
  const session = (await database.connect()) as pg.PoolClient;
  // The running query gets the error too; without a listener the process would end.
  session.on('error', () => {});
  try {
    await waitForOthers(session);
    await session.query(`CREATE TABLE IF NOT EXISTS schema_migrations
      (name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
    const { applied, hasNewer } = await readApplied(session, files);
    // Nobody uses an empty database, so its first files may take long on a busy machine.
    const transactionTimeoutMs = applied.size === 0 ? PATIENCE_MS : TRANSACTION_TIMEOUT_MS;
    const fresh = files.filter(({ name }) => !applied.has(name));
    for (const file of fresh) await apply(session, file, { lockAttemptsMax, pauseMs, transactionTimeoutMs });
    // Workers of a newer version may still run and need rights that only the newer version grants.
    if (!hasNewer) {
      await grant(session);
      await applyRetention(session);
    }
    return fresh.map(({ name }) => name);
  } finally {
    // A closed connection releases the lock in every case.
    session.release(true);
  }
}

/**
 * Polls, because a waiting statement would block the other process's concurrent index, and both would wait
 * for ever.
 */
async function waitForOthers(session: pg.PoolClient): Promise<void> {
  const since = performance.now();
  for (;;) {
    const { rows } = await session.query("SELECT pg_try_advisory_lock(hashtext('malipo.migrate')) AS mine");
    if (rows[0].mine) return;
    if (performance.now() - since > PATIENCE_MS)
      throw new Error('another process has been migrating for hours');
    await pause(250);
  }
}

async function readApplied(
  session: pg.PoolClient,
  files: Migration[],
): Promise<{ applied: Set<string>; hasNewer: boolean }> {
  const { rows } = await session.query('SELECT name, checksum FROM schema_migrations ORDER BY name');
  const checksums = new Map(files.map(({ name, checksum }) => [name, checksum]));
  const last = files.at(-1)?.name ?? '';
  for (const { name, checksum } of rows) {
    const isNewer = name > last;
    if (!isNewer && checksums.get(name) !== checksum) throw new OtherMigrations(name);
  }
  const applied = new Set<string>(rows.map((row) => row.name));
  return { applied, hasNewer: rows.some(({ name }) => name > last) };
}

/** Grants in one transaction, so that no right is missing for a moment. */
async function grant(session: pg.PoolClient): Promise<void> {
  await session.query('BEGIN');
  try {
    await applyGrants(session);
    await session.query('COMMIT');
  } catch (error) {
    await session.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

type Limits = { lockAttemptsMax: number; pauseMs: number; transactionTimeoutMs: number };

async function apply(session: pg.PoolClient, file: Migration, limits: Limits): Promise<void> {
  switch (file.way) {
    case 'transaction':
      await inTransaction(session, { file, sql: file.sql, isWhole: true, limits });
      return;
    case 'in batches':
      for (let batch = 1; ; batch += 1) {
        if (batch > BATCHES_MAX)
          throw new Error(`${file.name} still changes rows after ${BATCHES_MAX} batches`);
        if ((await inTransaction(session, { file, sql: file.sql, isWhole: false, limits })) === 0) break;
        await pause(limits.pauseMs / 10);
      }
      return note(session, file);
    case 'without transaction':
      for (const statement of file.statements)
        await withoutTransaction(session, statement).catch((error) => Promise.reject(named(file, error)));
      return note(session, file);
  }
}

type Step = { file: Migration; sql: string; isWhole: boolean; limits: Limits };

/**
 * Returns the number of rows that the last statement changed. Retries while another session holds the tables.
 */
async function inTransaction(session: pg.PoolClient, step: Step): Promise<number> {
  const { file, limits } = step;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await once(session, step);
    } catch (error) {
      const code = codeOf(error);
      await session.query('ROLLBACK').catch(() => {});
      if (code === TRANSACTION_TIMEOUT) throw tooLong(file, error);
      if (attempt >= limits.lockAttemptsMax || !LOCKED_OUT.has(code)) throw named(file, error);
      await pause(limits.pauseMs * (0.5 + Math.random()));
    }
  }
}

async function once(session: pg.PoolClient, { file, sql, isWhole, limits }: Step): Promise<number> {
  await session.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; SET LOCAL statement_timeout = 0;
    SET LOCAL transaction_timeout = ${limits.transactionTimeoutMs}`);
  const { rowCount } = await session.query(within(limits.transactionTimeoutMs, sql));
  if (isWhole) await note(session, file);
  await session.query('COMMIT');
  return rowCount ?? 0;
}

/** The statement waits for older transactions but blocks nobody, so its locks have no limit. */
async function withoutTransaction(session: pg.PoolClient, statement: string): Promise<void> {
  await session.query(`SET lock_timeout = 0; SET statement_timeout = ${PATIENCE_MS}`);
  await session.query(within(PATIENCE_MS, statement));
}

/** The driver's own limit for a query, in case the server hangs. */
function within(ms: number, text: string): pg.QueryConfig {
  const query = { text, query_timeout: ms + 5_000 };
  return query;
}

async function note(session: pg.PoolClient, { name, checksum }: Migration): Promise<void> {
  await session.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [name, checksum]);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function tooLong({ name }: Migration, cause: unknown): Error {
  const advice = 'split it, build its indexes without transaction, fill its columns in batches';
  return new Error(`${name} keeps its locks for longer than ${TRANSACTION_TIMEOUT_MS / 1_000} s: ${advice}`, {
    cause,
  });
}

function named({ name }: Migration, cause: unknown): Error {
  return new Error(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}
