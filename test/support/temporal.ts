import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Connection } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { freePort } from '../../sandbox/local/ports.ts';
import { type RunningServer, startServer } from '../../sandbox/local/server-process.ts';
import { devServerCommand } from '../../sandbox/local/temporal.ts';
import { findTemporalCli } from '../../sandbox/local/tools/temporal-cli.ts';
import { findTestServer } from '../../scripts/test-server.ts';
import { prepareTemporal, SWEEP_SCHEDULE_ID } from '../../src/app/schedule.ts';
import { closeLast, closings } from './at-end.ts';
import { refuseInQuickRun } from './quick-run.ts';
import { until } from './wait.ts';

export type DevServer = { address: string; server: RunningServer; stop(): Promise<void> };

let shared: Promise<DevServer> | undefined;

/** A real Temporal server that files share: the run's, or one of this process, which global.ts stops. */
export async function startTemporalDevServer(): Promise<{ address: string }> {
  refuseInQuickRun('a Temporal server');
  const ofRun = process.env.TEST_TEMPORAL;
  if (ofRun) return { address: ofRun };
  shared ??= launchTemporalDevServer().then((server) => {
    closings.push(server.stop);
    return server;
  });
  return shared;
}

/** A server of one's own, for tests that kill it. `port` and `dbFile` bring an earlier one back. */
export async function launchTemporalDevServer(
  options: { port?: number; dbFile?: string } = {},
): Promise<DevServer> {
  refuseInQuickRun('a Temporal server');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-temporal-'));
  const port = options.port ?? (await freePort());
  const command = devServerCommand({
    executable: await findTemporalCli({ progress: () => {} }),
    port,
    uiPort: null,
    dbFile: options.dbFile ?? path.join(folder, 'temporal.db'),
  });
  const server = await startServer(command);
  const address = `127.0.0.1:${port}`;
  await until(() => answers(address), `Temporal answers at ${address}`);
  return {
    address,
    server,
    async stop() {
      await server.stop(5_000);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A real server for the tests of one `describe` alone, prepared as for production, its sweep paused: what other tests leave
 * in the shared one would be missing in their Postgres. Read its members in hooks and tests only.
 */
export function useOwnTemporal() {
  const own = {} as Awaited<ReturnType<typeof openOwnTemporal>>;
  before(async function () {
    this.timeout(60_000);
    Object.assign(own, await openOwnTemporal());
    const { client, connection } = own.environment;
    await prepareTemporal(
      { client, connection, isReachable: async () => true, close: async () => {} },
      { timing: 'normal', deadlineMs: 20_000, retentionDays: 14 },
    );
    await client.schedule.getHandle(SWEEP_SCHEDULE_ID).pause();
  });
  closeLast(() => own.stop?.());
  return own;
}

/** The same, bare. */
export async function openOwnTemporal() {
  const server = await launchTemporalDevServer();
  const { address } = server;
  const environment = await TestWorkflowEnvironment.createFromExistingServer({ address });
  const stop = () => environment.teardown().then(() => server.stop());
  return { address, environment, stop };
}

async function answers(address: string): Promise<boolean> {
  const connection = await Connection.connect({ address, connectTimeout: '1s' });
  try {
    await connection.workflowService.describeNamespace({ namespace: 'default' });
    return true;
  } finally {
    await connection.close();
  }
}

/** A Temporal that skips over timers. Each caller has its own and tears it down; never compare its clock with Postgres's. */
export async function createTimeSkippingEnvironment(): Promise<TestWorkflowEnvironment> {
  refuseInQuickRun('a Temporal server');
  const program = await findTestServer();
  if (program === undefined) throw new Error('run node --import tsx scripts/prepare-test-servers.ts first');
  const server = { executable: { type: 'existing-path', path: program } } as const;
  // The SDK gives a server 5 s to start, which a busy machine may take: then another is tried.
  return until(() => TestWorkflowEnvironment.createTimeSkipping({ server }), 'the server that skips starts');
}
