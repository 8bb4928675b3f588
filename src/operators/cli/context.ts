import os from 'node:os';
import type { Command } from 'commander';
import type { ServiceSecret } from '../../base/service-secrets.ts';
import type { Config } from '../../config/config.ts';
import { withLocalTimes } from '../../domain/day.ts';
import { writtenOut } from '../../domain/plain-text.ts';
import type { Database } from '../../platform/db/pool.ts';
import type { TemporalClient } from '../../platform/temporal/connect.ts';
import { createOperatorClient, type OperatorAccess, type OperatorClient } from './operator-client.ts';

type Environment = Record<string, string | undefined>;

export type Context = {
  api: OperatorClient;
  /** one line for the person who typed the command */
  print(line: string): void;
  /** prints one line of a file, byte for byte; on a terminal, the same as `print` */
  write(line: string): void;
  /** `--json` prints this instead of the API's last answer. */
  answer(value: object): void;
};

/** Commands use it to prepare an installation. Connections open when first used. */
export type StoreContext = {
  config: Config;
  environment(): Promise<Environment>;
  database(): Database;
  /** connects as the owner of the tables */
  ownerDatabase(): Database;
  temporal(): TemporalClient;
  print(line: string): void;
  answer(value: object): void;
  actor: string;
};

export type Run = (work: (context: Context) => Promise<void>) => Promise<void>;
/** Runs migrations, and commands before the first operator exists. */
export type RunOnStores = (
  work: (context: StoreContext) => Promise<void>,
  options?: { without?: readonly ServiceSecret[]; json?: boolean | undefined },
) => Promise<void>;

/** Each part of the command line adds its commands to this. */
export type To = { program: Command; run: Run; onStores: RunOnStores };

export type Runs = {
  /** `operator` chooses an operator that `npm start` made; `json` prints only the answers */
  asOperator: (
    asked: { operator?: string; json?: boolean },
    work: (context: Context) => Promise<void>,
  ) => Promise<void>;
  onStores: RunOnStores;
};

export function createRuns(deps: {
  access: (operator: string | undefined) => Promise<OperatorAccess>;
  config: (options?: { without?: readonly ServiceSecret[] }) => Promise<Config>;
  /** for a command that reads the channels file */
  environment?: () => Promise<Environment>;
  print: (line: string) => void;
  isTerminal?: boolean;
}): Runs {
  // Other people write names and notes: a terminal must not obey control characters in them.
  const print = (line: string) => deps.print(writtenOut(line));
  const write = deps.isTerminal ? print : deps.print;
  return {
    async asOperator({ operator, json = false }, work) {
      const access = await deps.access(operator);
      if (json) return printAnswers(access, work, write);
      const printLocal = (line: string) => print(withLocalTimes(line));
      await work({ api: createOperatorClient(access), print: printLocal, write, answer: () => {} });
    },
    async onStores(work, { json = false, ...options } = {}) {
      const config = await deps.config(options);
      // Loading the stores would take most of the time of commands that only call the API.
      const { openStores } = await import('./stores.ts');
      const stores = openStores(config);
      const lines: string[] = [];
      let answer: object | undefined;
      try {
        await work({
          config,
          environment: deps.environment ?? (async () => ({})),
          ...stores,
          print: json ? (line) => void lines.push(line) : print,
          answer: (value) => {
            answer = value;
          },
          actor: `cli:${os.userInfo().username}`,
        });
      } finally {
        if (json) write(JSON.stringify(answer ?? { lines }));
        await stores.close();
      }
    },
  };
}

async function printAnswers(
  access: OperatorAccess,
  work: (context: Context) => Promise<void>,
  print: (line: string) => void,
): Promise<void> {
  let last: string | null = null;
  let answer: object | null = null;
  const take = (answer: string, isPage: boolean) => {
    if (isPage) print(answer);
    else last = answer;
  };
  try {
    await work({
      api: createOperatorClient(access, take),
      print: () => {},
      write: () => {},
      answer: (value) => {
        answer = value;
      },
    });
    if (answer === null && last !== null) print(last);
  } finally {
    if (answer !== null) print(JSON.stringify(answer));
  }
}
