import { withMethods } from './before-statements.ts';
import type { Database } from './queryable.ts';

/** The connection to Postgres is gone, in the middle of things. */
export class ConnectionLost extends Error {}

/**
 * A database whose connection breaks at the `at`-th statement (from 1): before it is run, or when it was run and its
 * answer is lost. After that nothing on that connection works, and Postgres rolls back what was not committed.
 */
export function failingDatabase(database: Database, plan: { at: number; answerLost: boolean }) {
  let count = 0;
  const connect = async () => {
    const client = await database.connect();
    let lost = false;
    const query = async (text: string, values?: unknown[]) => {
      if (lost) throw new ConnectionLost();
      count += 1;
      lost = count === plan.at;
      if (lost && !plan.answerLost) throw new ConnectionLost();
      const result = await client.query(text, values);
      if (lost) throw new ConnectionLost();
      return result;
    };
    // A broken connection is thrown away, which ends its transaction.
    return withMethods(client, { query, release: () => client.release(lost) });
  };
  return { database: withMethods(database, { connect }), statements: () => count };
}

/** Runs it; now and then its connection breaks at any of its statements first, and it runs again, as whoever called it does. */
export async function withKills<T>(
  database: Database,
  next: () => number,
  run: (database: Database) => Promise<T>,
): Promise<T> {
  if (next() > 0.25) return run(database);
  const plan = { at: 1 + Math.floor(next() * 30), answerLost: next() < 0.5 };
  try {
    await run(failingDatabase(database, plan).database);
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
  }
  return run(database);
}
