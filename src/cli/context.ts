import os from 'node:os';
import type { Config } from '../config.ts';
import { createDatabase, type Database } from '../db/pool.ts';
import { createTemporalClient, type TemporalClient } from '../temporal/connect.ts';

type Environment = Record<string, string | undefined>;

/** What a command works with. Connections are opened when a command first asks for them. */
export type Context = {
  config: Config;
  /** what the configuration was read from */
  environment(): Promise<Environment>;
  database(): Database;
  /** as the owner of the tables */
  ownerDatabase(): Database;
  temporal(): TemporalClient;
  /** one line for the person who typed the command */
  print(line: string): void;
  /** who that is, for the audit log */
  actor: string;
};

/** A command that cannot be carried out, said in one sentence. */
export class CommandError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CommandError';
  }
}

/** A person waits: longer than the longest statement that a command allows itself. */
const QUERY_TIMEOUT_MS = 11 * 60_000;

export type Run = (work: (context: Context) => Promise<void>) => Promise<void>;

/** Gives a command its context, and closes what it opened however it ends. */
export function createRun(deps: {
  config: () => Promise<Config>;
  /** for a command that reads the channels file */
  environment?: () => Promise<Environment>;
  print: (line: string) => void;
}): Run {
  return async (work) => {
    const config = await deps.config();
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
        });
      databases.set(url, open);
      return open;
    };
    const context: Context = {
      config,
      environment: deps.environment ?? (async () => ({})),
      database: () => databaseAt(config.DATABASE_URL),
      ownerDatabase: () => databaseAt(config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL),
      temporal: () => {
        temporal ??= createTemporalClient(config);
        return temporal;
      },
      print: deps.print,
      actor: `cli:${os.userInfo().username}`,
    };
    try {
      await work(context);
    } finally {
      for (const database of databases.values()) await database.end();
      await temporal?.close();
    }
  };
}
