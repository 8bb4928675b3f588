import type { Config } from '../../config/config.ts';
import { createDatabase, type Database } from '../../platform/db/pool.ts';
import { createTemporalClient, type TemporalClient } from '../../platform/temporal/connect.ts';
import { pagesOf } from '../../transactions/rows/page-token.ts';

/** Longer than the longest SQL statement of a command. */
const QUERY_TIMEOUT_MS = 11 * 60_000;

export function openStores(config: Config) {
  const databases = new Map<string, Database>();
  let temporal: TemporalClient | undefined;
  const databaseAt = (url: string) => {
    const open =
      databases.get(url) ??
      createDatabase({
        url,
        poolMax: 2,
        applicationName: 'malipo cli',
        queryTimeoutMs: QUERY_TIMEOUT_MS,
        rowKeys: config.SUBMISSION_KEY,
        pages: pagesOf(config),
      });
    databases.set(url, open);
    return open;
  };
  return {
    database: () => databaseAt(config.DATABASE_URL),
    ownerDatabase: () => databaseAt(config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL),
    temporal: () => {
      temporal ??= createTemporalClient(config);
      return temporal;
    },
    async close() {
      for (const database of databases.values()) await database.end();
      await temporal?.close();
    },
  };
}
