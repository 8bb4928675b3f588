import pg from 'pg';
import type { ProcessRole } from '../../src/platform/db/grants.ts';
import type { TestDatabase } from '../support/database.ts';

/** Asks Postgres by the password of one process, without the service's keys. */
export const byPasswordOf =
  (test: Pick<TestDatabase, 'urlOf'>) =>
  async (role: ProcessRole, text: string, values: unknown[] = []): Promise<pg.QueryResult> => {
    const client = new pg.Client({ connectionString: test.urlOf(role) });
    await client.connect();
    try {
      return await client.query(text, values);
    } finally {
      await client.end();
    }
  };
