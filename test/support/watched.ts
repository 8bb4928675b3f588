import pg from 'pg';
import { isPrepared } from '../../src/platform/db/prepared.ts';
import { beforeStatements } from './before-statements.ts';
import type { Database } from './queryable.ts';

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

/** The plans of the queries that `work` makes. One of them has a scan from end to end only where there is no index. */
export async function plansWithoutScans(
  database: Database,
  work: (database: Database) => Promise<unknown>,
): Promise<string[]> {
  const { types, connectionString = '' } = database.options;
  const pool = new pg.Pool({ connectionString, max: 1, types, options: '-c enable_seqscan=off' });
  // The test's database may be dropped before its last connection has closed.
  pool.on('error', () => {});
  try {
    const watched = watchPlans(pool);
    await work(watched.database);
    return watched.plans;
  } finally {
    await pool.end();
  }
}
