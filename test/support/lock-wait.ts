import type { Queryable } from './queryable.ts';
import { until } from './wait.ts';

/** Waits until `count` statements in this database wait for a lock that another transaction holds. */
export function untilLockAwaited(database: Queryable, count = 1): Promise<unknown> {
  return until(async () => {
    const { rows } = await database.query(
      "SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rows[0].waiting >= count;
  }, `${count} wait for a lock`);
}
