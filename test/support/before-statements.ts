import type pg from 'pg';
import type { Database, Queryable } from './queryable.ts';

type Before = (on: Queryable, query: string | pg.QueryConfig, values?: unknown[]) => Promise<void>;

/** The database with `before` run ahead of each statement, on the pool and on every connection that it lends. */
export function beforeStatements(database: Database, before: Before): Database {
  const hooked = <T extends Pick<pg.ClientBase, 'query'>>(target: T): T =>
    new Proxy(target, {
      get(_target, name) {
        if (name === 'connect') return async () => hooked(await database.connect());
        const member = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (name !== 'query') return member.bind(target);
        return async (query: string | pg.QueryConfig, values?: unknown[]) => {
          await before(target as Queryable, query, values);
          return typeof query === 'string' ? target.query(query, values) : target.query(query);
        };
      },
    });
  return hooked(database);
}
