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
        return async (text: string, values?: unknown[]) => {
          if (values) {
            const { rows } = await target.query(`EXPLAIN ${text}`, values);
            plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
          }
          return target.query(text, values);
        };
      },
    });
  return { database: watched(database), plans };
}
