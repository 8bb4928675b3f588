import os from 'node:os';
import type { ServiceSecret } from '../base/service-secrets.ts';
import type { Config } from '../config.ts';
import { createDatabase, type Database } from '../db/pool.ts';
import { writtenOut } from '../domain/plain-text.ts';
import { createTemporalClient, type TemporalClient } from '../temporal/connect.ts';
import { createOperatorClient, type OperatorAccess, type OperatorClient } from './operator-client.ts';

type Environment = Record<string, string | undefined>;

/** The means of an operator's command. */
export type Context = {
  api: OperatorClient;
  /** one line for the person who typed the command */
  print(line: string): void;
  /** one line of a file, byte for byte; like `print` where a terminal shows it */
  write(line: string): void;
};

/** The means of a command that prepares an installation. Connections are opened when it first asks for them. */
export type StoreContext = {
  config: Config;
  /** what the configuration was read from */
  environment(): Promise<Environment>;
  database(): Database;
  /** as the owner of the tables */
  ownerDatabase(): Database;
  temporal(): TemporalClient;
  print(line: string): void;
  /** who that is, for the audit log */
  actor: string;
};

/** A person waits: longer than the longest statement that a command allows itself. */
const QUERY_TIMEOUT_MS = 11 * 60_000;

/** Runs a command as a client of the operator API. */
export type Run = (work: (context: Context) => Promise<void>) => Promise<void>;
/** Runs a command on the stores themselves: migrations and what comes before the first operator. */
export type RunOnStores = (
  work: (context: StoreContext) => Promise<void>,
  options?: { without: readonly ServiceSecret[] },
) => Promise<void>;

export type Runs = {
  /** `operator`: whose token it is, where `npm start` knows several */
  asOperator: (operator: string | undefined, work: (context: Context) => Promise<void>) => Promise<void>;
  onStores: RunOnStores;
};

export function createRuns(deps: {
  access: (operator: string | undefined) => Promise<OperatorAccess>;
  config: (options?: { without: readonly ServiceSecret[] }) => Promise<Config>;
  /** for a command that reads the channels file */
  environment?: () => Promise<Environment>;
  print: (line: string) => void;
  /** whether a terminal shows what is printed */
  isTerminal?: boolean;
}): Runs {
  // Names and notes are chosen by others: a terminal must not obey what is hidden in them.
  const print = (line: string) => deps.print(writtenOut(line));
  const write = deps.isTerminal ? print : deps.print;
  return {
    async asOperator(operator, work) {
      await work({ api: createOperatorClient(await deps.access(operator)), print, write });
    },
    async onStores(work, options) {
      const config = await deps.config(options);
      const stores = openStores(config);
      try {
        await work({
          config,
          environment: deps.environment ?? (async () => ({})),
          ...stores,
          print,
          actor: `cli:${os.userInfo().username}`,
        });
      } finally {
        await stores.close();
      }
    },
  };
}

function openStores(config: Config) {
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
