import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { BrokenInvariant } from '../../domain/errors.ts';
import type { Database, Queryable } from './pool.ts';
import { isOutdated } from './prepared.ts';

/** Our pool's connections take only known statements. In tests the driver's own pool takes any text. */
export type ConnectionOf<D> = D extends pg.Pool ? pg.PoolClient : Queryable;

const ATTEMPTS_MAX = 5;
/** ML002: another transaction stored the same receipt meanwhile (migrations/0034_movements.sql). */
const RETRYABLE = new Set(['40001', '40P01', 'ML002']);

/**
 * Runs `work` in one READ COMMITTED transaction and commits. Repeats it a few times after a deadlock, a
 * serialization failure or a table change under a prepared statement, because these undo it. Any other error
 * rolls back and is thrown.
 */
export async function inTransaction<T, D extends Database>(
  database: D,
  work: (db: ConnectionOf<D>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await once(database, 'BEGIN', work);
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX || !isRetryable(error)) throw error;
      await pause(5 * attempt + Math.random() * 20);
    }
  }
}

const SNAPSHOT = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL enable_seqscan = off; SET LOCAL jit = off; SET LOCAL plan_cache_mode = force_custom_plan`;

/**
 * Runs `work`, which only reads, in one snapshot. Queries are planned for their values, and none may scan a
 * whole table, which holds the rows of all merchants. A query beyond `statementTimeoutMs` fails with SQLSTATE
 * 57014.
 */
export function inSnapshot<T, D extends Database>(
  database: D,
  { statementTimeoutMs }: { statementTimeoutMs: number },
  work: (db: ConnectionOf<D>) => Promise<T>,
): Promise<T> {
  return once(database, `${SNAPSHOT}; SET LOCAL statement_timeout = ${statementTimeoutMs}`, work);
}

const afterwards = new WeakMap<Queryable, (() => void)[]>();

/** Runs `say` (for a metric) after the transaction of `db` commits; never after a rollback. */
export function afterCommit(db: Queryable, say: () => void): void {
  afterwards.get(db)?.push(say);
}

async function once<T, D extends Database>(
  database: D,
  begin: string,
  work: (db: ConnectionOf<D>) => Promise<T>,
): Promise<T> {
  const client = (await database.connect()) as pg.PoolClient;
  const sayings: (() => void)[] = [];
  afterwards.set(client, sayings);
  let broken: Error | undefined;
  // Without a listener the process would end.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query(begin);
    const result = await work(client as unknown as ConnectionOf<D>);
    const { command } = await client.query('COMMIT');
    // If `work` ignored an error, Postgres rolls everything back and answers COMMIT with ROLLBACK.
    if (command !== 'COMMIT') throw new BrokenInvariant('the transaction was rolled back, not committed');
    for (const say of sayings) say();
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    afterwards.delete(client);
    client.off('error', onError);
    client.release(broken);
  }
}

function isRetryable(error: unknown): boolean {
  return isOutdated(error) || (error instanceof pg.DatabaseError && RETRYABLE.has(error.code ?? ''));
}
