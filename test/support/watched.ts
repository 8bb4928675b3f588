import type { Database } from '../../src/db/pool.ts';
import { isPrepared } from '../../src/db/prepared.ts';
import { beforeStatements } from './before-statements.ts';

/** A pool that asks for the plan of every query before it runs it: of a prepared one for any values as well. */
export function watchPlans(database: Database): { database: Database; plans: string[] } {
  const plans: string[] = [];
  const watched = beforeStatements(database, async (on, query, values) => {
    if (typeof query !== 'string' || !values) return;
    const explains = [
      () => on.query(`EXPLAIN ${query}`, values),
      ...(isPrepared(query) ? [() => on.query(`EXPLAIN (GENERIC_PLAN) ${query}`)] : []),
    ];
    for (const explain of explains)
      plans.push((await explain()).rows.map((row) => row['QUERY PLAN']).join('\n'));
  });
  return { database: watched, plans };
}
