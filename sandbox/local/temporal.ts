import { searchAttributeFlags } from '../../src/platform/temporal/search-attributes.ts';
import type { ServerCommand } from './server-process.ts';

/** Urgent work comes first, and accounts take turns (docs/operations/deploy.md). The default is off. */
const queueFlags = ['matching.useNewMatcher=true', 'matching.enableFairness=true'].flatMap((setting) => [
  '--dynamic-config-value',
  setting,
]);

/** The dev server is one process with one SQLite file and an optional web UI. */
export function devServerCommand(options: {
  executable: string;
  port: number;
  uiPort: number | null;
  dbFile: string;
  /** where the web UI decodes payloads; absent if they are not encrypted */
  codecEndpoint?: string | undefined;
}): ServerCommand {
  const { executable, port, uiPort, dbFile, codecEndpoint } = options;
  return {
    command: executable,
    args: [
      'server',
      'start-dev',
      '--ip',
      '127.0.0.1',
      '--port',
      String(port),
      ...(uiPort === null ? ['--headless'] : ['--ui-port', String(uiPort)]),
      ...(codecEndpoint === undefined ? [] : ['--ui-codec-endpoint', codecEndpoint]),
      '--db-filename',
      dbFile,
      '--sqlite-pragma',
      'journal_mode=WAL',
      '--log-level',
      'error',
      ...searchAttributeFlags(),
      ...queueFlags,
    ],
    // Makes Go collect garbage earlier: the whole stack must fit on a small machine.
    env: { ...process.env, GOMEMLIMIT: '220MiB' },
    stopSignal: 'SIGTERM',
  };
}
