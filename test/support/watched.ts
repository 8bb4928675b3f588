import type pg from 'pg';
import type { Database } from '../../src/db/pool.ts';

/** A pool that asks for the plan of every query before it runs it. */
export function watchPlans(database: Database): { database: Database; plans: string[] } {
  const plans: string[] = [];
  const watched = <T extends Pick<pg.ClientBase, 'query'>>(target: T): T =>
    new Proxy(target, {
      get(_target, name) {
        if (name === 'connect') return async () => watched(await database.connect());
        const member = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (name !== 'query') return member.bind(target);
        return async (query: string | pg.QueryConfig, values?: unknown[]) => {
          // What has a name is planned once, for whatever values come.
          if (typeof query !== 'string') await explain(target, `EXPLAIN (GENERIC_PLAN) ${query.text}`);
          else if (values) await explain(target, `EXPLAIN ${query}`, values);
          return typeof query === 'string' ? target.query(query, values) : target.query(query);
        };
      },
    });
  const explain = async (target: Pick<pg.ClientBase, 'query'>, text: string, values?: unknown[]) => {
    const { rows } = await target.query(text, values);
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
  };
  return { database: watched(database), plans };
}
