import type pg from 'pg';
import { processRoleNames } from '../../src/platform/db/grants.ts';
import { asRole, createTestDatabase, type TestDatabase } from './database.ts';
import type { Database } from './queryable.ts';
import { withResolvers } from './wait.ts';

/** The same `count` times, for `atOnce`. */
export const times = <T>(count: number, work: () => Promise<T>) => Array.from({ length: count }, () => work);

/** Less than a session may be idle in a transaction (15 s). */
const MEET_MS = 10_000;
/** The second run of a race: nothing is at once there. */
const alone = new WeakSet<Database>();

/**
 * A test about a race. Its body, set-up included, runs with `count` connections and with one, with a database of its
 * own in `test` each time. A step that takes a second connection while it holds the first would wait for ever with one.
 */
export function itRaced(test: TestDatabase, count: number, title: string, body: () => Promise<void>) {
  return it(title, async () => {
    const usual = { ...test };
    for (const connections of [count, 1]) {
      Object.assign(test, await createTestDatabase({ connections }));
      if (connections === 1) alone.add(test.database);
      try {
        await body();
      } catch (error) {
        if (error instanceof Error) error.message += ` (with a pool of ${connections})`;
        throw error;
      } finally {
        await test.drop();
        Object.assign(test, usual);
      }
    }
  });
}

/**
 * Does all of `works` at once and returns what they give. Each of the first `count` transactions waits after its
 * BEGIN until all of them have begun, whatever role they have. Fails where fewer back ends were in one.
 */
export async function atOnce<T>(count: number, database: Database, works: readonly (() => Promise<T>)[]) {
  const inside = new Set<pg.PoolClient>();
  const met = withResolvers<boolean>();
  const deadline = setTimeout(() => met.resolve(false), MEET_MS);
  const meet = async (client: pg.PoolClient, begun: Promise<unknown>) => {
    const answer = await begun;
    inside.add(client);
    if (inside.size === count) met.resolve(true);
    await met.promise;
    return answer;
  };
  const restores = new Map<pg.PoolClient, () => void>();
  const watch = (client: pg.PoolClient) => {
    if (restores.has(client)) return;
    const { query } = client;
    restores.set(client, () => Reflect.set(client, 'query', query));
    Reflect.set(client, 'query', (...given: unknown[]) => {
      const asked = Reflect.apply(query, client, given);
      return String(given[0]).startsWith('BEGIN') ? meet(client, asked) : asked;
    });
  };
  const pools = alone.has(database)
    ? []
    : [database, ...processRoleNames.map((role) => asRole(database, role))];
  for (const pool of pools) pool.on('acquire', watch);
  try {
    const results = await Promise.allSettled(works.map((work) => work()));
    met.resolve(false);
    if (!alone.has(database) && !(await met.promise))
      throw new Error(`${inside.size} of ${count} were in a transaction at once`);
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  } finally {
    clearTimeout(deadline);
    for (const pool of pools) pool.off('acquire', watch);
    for (const restore of restores.values()) restore();
  }
}
