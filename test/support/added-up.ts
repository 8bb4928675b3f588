import { addUpEntries } from '../../src/ledger/sums.ts';
import type { Database } from './queryable.ts';
import { until } from './wait.ts';

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
