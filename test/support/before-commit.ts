import type { Database } from './queryable.ts';

/** The same database, whose first transaction waits with its COMMIT until it may go on. */
export function beforeCommit(database: Database) {
  let reach = () => {};
  let goOn = () => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const released = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const connect = async () => {
    const client = await database.connect();
    return new Proxy(client, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value;
        return async (...args: unknown[]) => {
          if (args[0] === 'COMMIT') {
            reach();
            await released;
          }
          return value.apply(target, args);
        };
      },
    });
  };
  return { database: { ...database, connect } as Database, reached, goOn };
}
