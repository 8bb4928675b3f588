import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { freePort } from '../sandbox/local/ports.ts';
import { startServer } from '../sandbox/local/server-process.ts';
import { cacheFolder, findOnPath, isExecutable } from '../sandbox/local/tools/cache.ts';
import { goInstall } from '../sandbox/local/tools/go-install.ts';
import { createDatabase } from '../src/platform/db/pool.ts';
import { until } from '../test/support/wait.ts';
import { startPostgres } from './postgres.ts';
import type { Process } from './processes.ts';

const VERSION = 'v1.31.2';
const MODULE = 'go.temporal.io/server';
const BUILD_LIMIT_MS = 60 * 60_000;
const NAMESPACE = 'default';
const run = promisify(execFile);

export type TemporalServer = { address: string; processes: Process[]; stop(): Promise<void> };

/**
 * Temporal as production runs it: the server of its own module on Postgres, the same release as docker-compose.yml. It is
 * built with Go once, about ten minutes on two cores, and kept in the cache folder. Throws where there is no Go.
 */
export async function startTemporalServer(): Promise<TemporalServer> {
  const server = await built('temporal-server', `${MODULE}/cmd/server@${VERSION}`);
  const sqlTool = await built('temporal-sql-tool', `${MODULE}/cmd/tools/sql@${VERSION}`);
  const postgres = await startPostgres();
  const { hostname, port, username, password } = new URL(postgres.url);
  const schemas = path.join(await moduleFolder(), 'schema/postgresql/v12');
  const names = { temporal: 'bench_temporal', visibility: 'bench_temporal_visibility' };
  const database = createDatabase({ url: postgres.url, poolMax: 1, applicationName: 'malipo bench' });
  for (const [schema, name] of Object.entries(names)) {
    await database.query(`CREATE DATABASE ${name}`);
    const tool = (...args: string[]) =>
      run(sqlTool, [
        ...['--plugin', 'postgres12', '--ep', hostname, '--port', port, '--db', name],
        ...['--user', username, '--password', decodeURIComponent(password), ...args],
      ]);
    await tool('setup-schema', '-v', '0.0');
    await tool('update-schema', '-d', path.join(schemas, schema, 'versioned'));
  }
  await database.end();
  const ports = await portsOf(['FRONTEND', 'HISTORY', 'MATCHING', 'WORKER']);
  const address = `127.0.0.1:${ports.FRONTEND_GRPC_PORT}`;
  const running = await startServer({
    command: server,
    args: ['--allow-no-auth', 'start'],
    env: {
      ...process.env,
      ...ports,
      DB: 'postgres12',
      DB_PORT: port,
      POSTGRES_SEEDS: hostname,
      POSTGRES_USER: username,
      POSTGRES_PWD: decodeURIComponent(password),
      DBNAME: names.temporal,
      VISIBILITY_DBNAME: names.visibility,
      NUM_HISTORY_SHARDS: '512',
      BIND_ON_IP: '127.0.0.1',
      TEMPORAL_BROADCAST_ADDRESS: '127.0.0.1',
      DYNAMIC_CONFIG_FILE_PATH: path.resolve('deploy/temporal/dynamic-config.yaml'),
      LOG_LEVEL: 'error',
    },
    stopSignal: 'SIGTERM',
  });
  await until(() => registerNamespace(address), {
    deadlineMs: 120_000,
    what: `Temporal's server is ready: ${running.lastOutput()}`,
    everyMs: 500,
  });
  return {
    address,
    processes: [
      { name: 'Temporal', pid: running.pid },
      { name: "Temporal's Postgres", pid: postgres.pid },
    ],
    async stop() {
      await running.stop(20_000);
      await postgres.stop();
    },
  };
}

async function registerNamespace(address: string): Promise<boolean> {
  const connection = await Connection.connect({ address, connectTimeout: 2_000 });
  try {
    await connection.workflowService
      .registerNamespace({
        namespace: NAMESPACE,
        workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
      })
      .catch((error: Error) => {
        if (!/already/i.test(error.message)) throw error;
      });
    await connection.workflowService.describeNamespace({ namespace: NAMESPACE });
    return true;
  } finally {
    await connection.close();
  }
}

async function portsOf(services: string[]): Promise<Record<string, string>> {
  const ports: Record<string, string> = {};
  for (const service of services)
    for (const kind of ['GRPC', 'MEMBERSHIP']) ports[`${service}_${kind}_PORT`] = String(await freePort());
  ports.FRONTEND_HTTP_PORT = String(await freePort());
  return ports;
}

async function built(program: string, goPackage: string): Promise<string> {
  const cached = path.join(cacheFolder(), 'bin', program);
  const present = (await findOnPath(program)) ?? ((await isExecutable(cached)) ? cached : undefined);
  if (present !== undefined) return present;
  await mkdir(path.dirname(cached), { recursive: true });
  const progress = (message: string) => console.log(`${program}: ${message}`);
  await goInstall(goPackage, cached, { progress, limitMs: BUILD_LIMIT_MS });
  return cached;
}

/** Where Go keeps the module's files, its schema among them. */
async function moduleFolder(): Promise<string> {
  const go = (await findOnPath('go', ['/usr/local/go/bin'])) ?? 'go';
  const { stdout } = await run(go, ['mod', 'download', '-json', `${MODULE}@${VERSION}`]);
  return JSON.parse(stdout).Dir;
}
