import type pg from 'pg';
import type { Database, Queryable } from './queryable.ts';
import { withResolvers } from './wait.ts';

type Before = (on: Queryable, query: string | pg.QueryConfig, values?: unknown[]) => Promise<void>;

/** The database with `before` run ahead of each statement, on the pool and on every connection that it lends. */
export function beforeStatements(database: Database, before: Before): Database {
  const hooked = <T extends Queryable>(target: T, more: object = {}): T =>
    withMethods(target, {
      async query(query: string | pg.QueryConfig, values?: unknown[]) {
        await before(target, query, values);
        return typeof query === 'string' ? target.query(query, values) : target.query(query);
      },
      ...more,
    });
  return hooked(database, { connect: async () => hooked(await database.connect()) });
}

/** The same database, whose first transaction waits with its COMMIT until it may go on. */
export function beforeCommit(database: Database) {
  const [reached, released] = [withResolvers<void>(), withResolvers<void>()];
  const held = beforeStatements(database, async (_on, query) => {
    if (query !== 'COMMIT') return;
    reached.resolve();
    await released.promise;
  });
  return { database: held, reached: reached.promise, goOn: () => released.resolve() };
}

/** The same object with a few methods of its own; everything else is the original's, `this` included. */
export function withMethods<T extends object>(original: T, methods: object): T {
  return new Proxy(original, {
    get(target, name) {
      if (name in methods) return methods[name as keyof typeof methods];
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
