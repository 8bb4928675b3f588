import { addUpEntries } from '../../src/ledger/sums.ts';
import type { Database, Queryable } from './queryable.ts';
import { until } from './wait.ts';

/**
 * Waits until a sweep has done all of its duties since the database was made: its row is older than the first account. A
 * copy from before that has no end, and `recover` rightly refuses it; a sweep that only passed the fence is not enough,
 * because one that failed is tried again and passes it again.
 */
export async function untilSwept(database: Queryable, deadlineMs = 30_000): Promise<void> {
  const query =
    'SELECT progress > 1 AND swept_at > (SELECT min(created_at) FROM accounts) AS swept FROM fence';
  const hasSwept = async () => (await database.query(query)).rows[0].swept;
  await until(hasSwept, { deadlineMs, what: 'a sweep to its end' });
}

/**
 * Sweeps until the sums have every entry that is there. One sweep only notes how far they go, and the next waits for all
 * transactions of the server, those of tests that run beside this one, too.
 */
export async function untilAddedUp(database: Database, batch?: number): Promise<void> {
  const hasAll = async () => {
    await addUpEntries(database, batch);
    const { rows } = await database.query(
      'SELECT counted >= (SELECT coalesce(max(id), 0) FROM entries) AS all FROM ledger_sums_head',
    );
    return rows[0].all as boolean;
  };
  await until(hasAll, 'the sums of all entries');
}
