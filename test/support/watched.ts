import type { Database } from '../../src/db/pool.ts';
import { beforeStatements } from './before-statements.ts';

/** A pool that asks for the plan of every query before it runs it. */
export function watchPlans(database: Database): { database: Database; plans: string[] } {
  const plans: string[] = [];
  const watched = beforeStatements(database, async (on, query, values) => {
    // What has a name is planned once, for whatever values come.
    const explained =
      typeof query === 'string'
        ? values && on.query(`EXPLAIN ${query}`, values)
        : on.query(`EXPLAIN (GENERIC_PLAN) ${query.text}`);
    if (explained) plans.push((await explained).rows.map((row) => row['QUERY PLAN']).join('\n'));
  });
  return { database: watched, plans };
}
