import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Client } from '@temporalio/client';
import { addressesOf, claimPorts } from '../../sandbox/local/addresses.ts';
import { ensureDemo } from '../../sandbox/local/demo.ts';
import { freePort } from '../../sandbox/local/ports.ts';
import { loadSecrets } from '../../sandbox/local/secrets.ts';
import { type RunningServer, startServer } from '../../sandbox/local/server-process.ts';
import {
  apiService,
  gatewayEnvironment,
  makeWorkerCurrent,
  type Stack,
  simulatorService,
  workerService,
} from '../../sandbox/local/services.ts';
import { readLocalSettings } from '../../sandbox/local/settings.ts';
import type { ServiceSpecification } from '../../sandbox/local/supervisor.ts';
import { prepareTemporal } from '../../src/app/schedule.ts';
import { loadConfig } from '../../src/config/config.ts';
import { channelIds } from '../../src/domain/network.ts';
import { ensureServiceAccounts } from '../../src/ledger/accounts.ts';
import { createTemporalClient } from '../../src/platform/temporal/connect.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { asInProduction, freePorts, outcomeBy, requestTo, simulatorAt } from './gateway.ts';
import { SUBMISSION_KEY } from './key-rings.ts';
import { nodeArguments, runCli } from './node-entry.ts';
import { type DevServer, launchTemporalDevServer } from './temporal.ts';

export type Parts = Awaited<ReturnType<typeof startParts>>;
export type Api = Awaited<ReturnType<Parts['startApi']>>;

/**
 * A signal that arrives while a workflow ends: Temporal notes a failed task, and the worker does it again with
 * the signal. Nobody is at fault.
 */
const NEWS_CAME_AT_THE_END = 'UnhandledCommand';

const PATIENCE_MS = 8_000;

/**
 * A Malipo whose parts a test starts, freezes, kills and starts again by itself: nobody supervises them. Postgres, Temporal (of
 * its own), simulator and API; no worker yet. Timing is fast; payloads are encrypted, as in production.
 */
export async function startParts(given: NodeJS.ProcessEnv = {}) {
  const environment = { ...asInProduction, ...given };
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-parts-'));
  const dbFile = path.join(folder, 'temporal.db');
  const test = await createTestDatabase({ poolMax: 4 });
  let temporal: DevServer = await launchTemporalDevServer({ dbFile });
  const stack = await furnish({ folder, test, temporalAddress: temporal.address });
  const client = createTemporalClient(loadConfig({ ...gatewayEnvironment(stack, 'worker'), ...environment }));
  await prepareTemporal(client, { timing: 'fast', deadlineMs: 20_000, retentionDays: 14 });
  await ensureServiceAccounts(test.database, channelIds, 'TZS');
  const demo = await ensureDemo({
    database: test.database,
    dataFolder: folder,
    secrets: stack.secrets,
    callbackUrl: stack.addresses.callback_url,
  });
  const request = requestTo(stack.addresses.api_url, demo.apiKey);
  const running: RunningServer[] = [];
  const start = async (specification: ServiceSpecification, changes: Changes = {}) => {
    const server = await startPart(specification, {
      ...changes,
      environment: { ...environment, ...changes.environment },
    });
    running.push(server);
    return server;
  };
  const [, firstApi] = await Promise.all([
    start(simulatorService(stack, demo)),
    start(apiService(stack, demo.apiKey)),
  ]);

  return {
    /** `api_url`, `simulator_url` and the others */
    local: stack.addresses,
    accountId: demo.accountId,
    /** of another holder, who starts batches */
    approverApiKey: demo.approverApiKey,
    database: test.database,
    temporal: {
      address: temporal.address,
      pid: () => temporal.server.pid,
      async kill() {
        process.kill(temporal.server.pid, 'SIGKILL');
        await temporal.server.exited;
      },
      /** on the same port, with the data it had */
      async startAgain() {
        const port = Number(temporal.address.split(':')[1]);
        temporal = await launchTemporalDevServer({ port, dbFile });
      },
      look: () => lookAtHistories(client.client),
    },
    /** as the API's process has it */
    client,
    /** our command line, beside these parts: what it prints */
    cli: (words: string[], changes: NodeJS.ProcessEnv = {}) =>
      runCli(words, { ...gatewayEnvironment(stack, 'api'), ...environment, ...changes }),
    /** Waits until it polls and its version is the current one, unless it is not meant to be. */
    async startWorker({ isCurrent = true, ...options }: Changes & { isCurrent?: boolean } = {}) {
      const worker = await start(workerService(stack), options);
      if (isCurrent) await makeWorkerCurrent(stack, { ...environment, ...options.environment });
      return worker;
    },
    /** that was started with the others */
    firstApi,
    /** One more API, on ports of its own, with these changes of its environment. */
    async startApi(changes: NodeJS.ProcessEnv = {}) {
      const ports = {
        ...stack.ports,
        API_PORT: await freePort(),
        MANAGEMENT_PORT: await freePort(),
        PAY_PORT: await freePort(),
      };
      const addresses = addressesOf(stack.settings, ports);
      const server = await start(apiService({ ...stack, ports, addresses }), { environment: changes });
      const { api_url: apiUrl } = addresses;
      return { server, apiUrl, request: requestTo(apiUrl, demo.apiKey) };
    },
    /** the settings of the first API, secrets included */
    environment: { ...gatewayEnvironment(stack, 'api'), ...environment } as NodeJS.ProcessEnv,
    request,
    outcome: outcomeBy(request),
    simulator: simulatorAt(stack.addresses),
    async stop() {
      await client.close();
      await Promise.all(running.map((server) => server.stop(PATIENCE_MS)));
      await temporal.stop();
      await test.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Workflow tasks that failed, and which versions carried each workflow on. */
async function lookAtHistories(client: Client) {
  const look = { failed: [] as string[], versions: [] as { type: string; buildIds: string[] }[] };
  for await (const { workflowId, runId, type } of client.workflow.list()) {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const versions = new Set<string>();
    for (const event of events ?? []) {
      const failure = event.workflowTaskFailedEventAttributes;
      if (failure && failure.failure?.message !== NEWS_CAME_AT_THE_END)
        look.failed.push(`${type} ${workflowId}: ${failure.failure?.message}`);
      const buildId = event.workflowTaskCompletedEventAttributes?.deploymentVersion?.buildId;
      if (buildId) versions.add(buildId);
    }
    look.versions.push({ type, buildIds: [...versions] });
  }
  return look;
}

async function furnish(given: {
  folder: string;
  test: TestDatabase;
  temporalAddress: string;
}): Promise<Stack> {
  const settings = readLocalSettings(
    {
      ...freePorts,
      DATA_DIR: given.folder,
      DATABASE_URL: given.test.url,
      TEMPORAL_ADDRESS: given.temporalAddress,
    },
    ['--fast'],
  );
  const { password } = given.test;
  const ports = await claimPorts(settings);
  return {
    settings,
    ports,
    addresses: addressesOf(settings, ports),
    // The roles belong to the cluster of all tests, and so do their passwords.
    secrets: {
      ...(await loadSecrets(given.folder)),
      // With which the test's own connections write rows.
      SUBMISSION_KEY,
      postgresApiPassword: password,
      postgresWorkerPassword: password,
    },
    databaseUrl: given.test.url,
  };
}

/** `entry`: another file than its own. */
type Changes = { entry?: string; environment?: NodeJS.ProcessEnv };

async function startPart(specification: ServiceSpecification, changes: Changes): Promise<RunningServer> {
  const { command } = specification;
  const [heap = ''] = command.args;
  const args = [heap, ...nodeArguments(changes.entry ?? command.args.at(-1) ?? '')];
  const server = await startServer({
    ...command,
    args,
    env: {
      ...command.env,
      SIMULATOR_DELAY_MS: '300',
      LOG_LEVEL: 'warn',
      // A test may have several workers.
      WORKER_MANAGEMENT_PORT: '',
      ...changes.environment,
    },
  });
  const ended = server.exited.then(() => Promise.reject(new Error(server.lastOutput())));
  await Promise.race([specification.ready(server), ended]);
  return server;
}
