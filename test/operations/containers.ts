import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../sandbox/local/ports.ts';
import { type RunningServer, startServer } from '../../sandbox/local/server-process.ts';
import { fingerprintOf } from '../../src/accounts/key-format.ts';
import { scopes } from '../../src/accounts/keys.ts';
import { processRoleNames } from '../../src/platform/db/grants.ts';
import { approvalOf } from '../support/approval.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type DevServer, launchTemporalDevServer } from '../support/temporal.ts';
import { until } from '../support/wait.ts';
import { environmentOf, parseEnvFile, readCompose } from './compose.ts';
import { buildImage, type Image } from './image.ts';

const run = promisify(execFile);
const makeEnv = fileURLToPath(new URL('../../scripts/make-env.sh', import.meta.url));

/** Instead of a service's command, and beside its environment. */
type Changes = { command?: string[]; env?: Record<string, string> };

/** One container of docker-compose.yml, run as a plain process. */
export type Container = {
  server: RunningServer;
  /** what it wrote, a line each */
  lines: string[];
  /** where its health check looks */
  managementUrl: string;
};

export type Containers = Awaited<ReturnType<typeof startContainers>>;

/**
 * docker-compose.yml without Docker: what the Dockerfile puts into the image is made in a folder, or really built
 * (`build`), and each service's command runs there with its environment and nothing else. Postgres and Temporal are the
 * tests' own; the names of services become addresses on loopback, each with a port of its own.
 */
export async function startContainers(build: () => Promise<Image> = buildImage) {
  const [image, compose, database, temporal] = await Promise.all([
    build(),
    readCompose(),
    emptyDatabase(),
    launchTemporalDevServer() as Promise<DevServer>,
  ]);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-env-'));
  await run('sh', [makeEnv, path.join(folder, '.env')]);
  const env = parseEnvFile(await readFile(path.join(folder, '.env'), 'utf8'));
  // The roles belong to the cluster of all tests, and so do their passwords.
  for (const role of processRoleNames) env[`POSTGRES_${role.toUpperCase()}_PASSWORD`] = database.password;
  const [apiPort, simulatorPort] = [await freePort(), await freePort()];
  const running: RunningServer[] = [];

  /** The same text with loopback in place of the network of the containers. */
  const onLoopback = (text: string, managementPort: number) =>
    text
      .replace(/postgresql:\/\/malipo:\w+@postgres:5432\/malipo/, database.url)
      .replace(/postgresql:\/\/malipo_(api|worker):[^@]+@postgres:5432\/malipo/, (_, role) =>
        database.urlOf(role),
      )
      .replace('temporal:7233', temporal.address)
      .replace('http://api:3000', `http://127.0.0.1:${apiPort}`)
      .replace('http://simulator:4010', `http://127.0.0.1:${simulatorPort}`)
      // Whole ports: one of the database may begin like this.
      .replace(/127\.0\.0\.1:4010\b/, `127.0.0.1:${simulatorPort}`)
      .replace(/127\.0\.0\.1:3001\b/, `127.0.0.1:${managementPort}`)
      .replace(/^0\.0\.0\.0$/, '127.0.0.1');

  function containerOf(name: string, managementPort: number, changes: Changes = {}) {
    const service = compose.services[name];
    if (!service?.command) throw new Error(`${name} has no command`);
    const given = { ...image.env, ...environmentOf(service, env) };
    const ports: Record<string, string> = {
      API_PORT: String(apiPort),
      MANAGEMENT_PORT: String(managementPort),
      ...(given.WORKER_MANAGEMENT_PORT ? { WORKER_MANAGEMENT_PORT: String(managementPort) } : {}),
      ...(given.SIMULATOR_PORT ? { SIMULATOR_PORT: String(simulatorPort) } : {}),
    };
    const entries = Object.entries(given).map(([key, value]) => [key, onLoopback(value, managementPort)]);
    const [command = '', ...args] = changes.command ?? service.command;
    const process_ = { command, args, env: { ...Object.fromEntries(entries), ...ports, ...changes.env } };
    return { service, ...(image.inside ?? onThisMachine)(process_) };
  }

  /** A job: what it wrote, once it has ended well. */
  async function finish(name: string, changes: Changes = {}): Promise<string> {
    const job = containerOf(name, 0, changes);
    const { stdout } = await run(job.command, job.args, { cwd: image.folder, env: job.env });
    return stdout.trim();
  }

  /** A service, once its health check says that it is well. */
  async function start(name: string): Promise<Container> {
    const managementPort = await freePort();
    const { service, ...process_ } = containerOf(name, managementPort);
    const lines: string[] = [];
    const server = await startServer({ ...process_, cwd: image.folder, stopSignal: 'SIGTERM' }, (line) =>
      lines.push(line),
    );
    running.push(server);
    const [, , ...check] = service.healthcheck?.test ?? [];
    const checks = check.map((word) => onLoopback(word, managementPort));
    await until(async () => {
      if (server.child.exitCode !== null) throw new Error(server.lastOutput());
      await run(process.execPath, checks, { timeout: 5_000 });
      return true;
    }, `${name} is healthy: ${server.lastOutput()}`);
    return { server, lines, managementUrl: `http://127.0.0.1:${managementPort}` };
  }

  return {
    env,
    folder: image.folder,
    databaseUrl: database.url,
    temporalAddress: temporal.address,
    apiUrl: `http://127.0.0.1:${apiPort}`,
    simulatorUrl: `http://127.0.0.1:${simulatorPort}`,
    finish,
    start,
    cli: (env: Record<string, string>, ...args: string[]) =>
      finish('prepare', { command: ['node', 'dist/src/cli.js', ...args], env }),
    async stop() {
      await Promise.all(running.map((server) => server.stop(5_000)));
      await temporal.stop();
      await database.drop();
      await image.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Two operators by the command line, and a merchant with money and a key, which is returned. */
export async function openShop(containers: Containers, api: Container): Promise<string> {
  const hire = async (name: string) => {
    const args = ['operators', 'create', name, '--email', `${name}@example.com`, '--first'];
    const MALIPO_OPERATOR_TOKEN = (await containers.cli({}, ...args)).split('\n').at(-1) ?? '';
    return { MALIPO_OPERATOR_URL: api.managementUrl, MALIPO_OPERATOR_TOKEN };
  };
  const [asha, juma] = [await hire('asha'), await hire('juma')];
  const account = await containers.cli(asha, 'accounts', 'create', 'Duka la Asha');
  const apiKey = (await containers.cli({}, 'keys', 'new', '--test')).split('\n').at(-1) ?? '';
  const printed = `${apiKey.slice(0, apiKey.lastIndexOf('_'))}:${fingerprintOf(apiKey)}`;
  const letIn = ['keys', 'create', account, printed, '--scopes', scopes.join(','), '--reason', 'new shop'];
  await containers.cli(juma, ...approvalOf(await containers.cli(asha, ...letIn)));
  const topUp = ['accounts', 'top-up', account, '1000000', '--reference', 'first'];
  await containers.cli(juma, ...approvalOf(await containers.cli(asha, ...topUp)));
  return apiKey;
}

/** The image's Node.js is this one. */
function onThisMachine({ command, args, env }: Parameters<NonNullable<Image['inside']>>[0]) {
  return {
    command: command === 'node' ? process.execPath : command,
    args,
    env: { ...env, PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin` },
  };
}

/** Nothing in it: the migration job has everything to do. */
async function emptyDatabase(): Promise<TestDatabase> {
  const test = await createTestDatabase({ poolMax: 1 });
  await test.database.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  return test;
}
