import { searchAttributeFlags } from '../../src/platform/temporal/search-attributes.ts';
import type { ServerCommand } from './server-process.ts';

/** Urgent work first, and accounts take turns (docs/operations/deploy.md): off by default in this server. */
const queueFlags = ['matching.useNewMatcher=true', 'matching.enableFairness=true'].flatMap((setting) => [
  '--dynamic-config-value',
  setting,
]);

/** The dev server is one process with its data in one SQLite file, and optionally its web UI. */
export function devServerCommand(options: {
  executable: string;
  port: number;
  uiPort: number | null;
  dbFile: string;
  /** the web UI decodes payloads here; absent if they are not encrypted */
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
    // Go's collector works earlier than it would by itself: the whole stack has to fit on a small machine.
    env: { ...process.env, GOMEMLIMIT: '220MiB' },
    stopSignal: 'SIGTERM',
  };
}
