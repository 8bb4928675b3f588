import { chmod, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { neededDays } from '../../src/app/retention.ts';
import { prepareTemporal } from '../../src/app/schedule.ts';
import { loadConfig } from '../../src/config/config.ts';
import { keyRing } from '../../src/config/fields.ts';
import { CURRENCY } from '../../src/domain/money.ts';
import { channelIds } from '../../src/domain/network.ts';
import { ensureServiceAccounts } from '../../src/ledger/accounts.ts';
import { setRolePasswords } from '../../src/platform/db/grants.ts';
import { migrate, OtherMigrations } from '../../src/platform/db/migrate.ts';
import { createDatabase, type Database } from '../../src/platform/db/pool.ts';
import { queryUnlisted } from '../../src/platform/db/unlisted.ts';
import { payloadCodecOf } from '../../src/platform/temporal/codec.ts';
import { createTemporalClient } from '../../src/platform/temporal/connect.ts';
import { fenceOf } from '../../src/transactions/care/fence.ts';
import { type Addresses, addressesOf, claimPorts } from './addresses.ts';
import { channelsFile } from './channels.ts';
import { type Demo, demoPage, ensureDemo } from './demo.ts';
import { takeOver } from './leftovers.ts';
import { createLogs } from './logs.ts';
import type { LocalOperator } from './operators.ts';
import { localPostgresSettings, postgresUrl, preparePostgres } from './postgres.ts';
import { writePrivateJson } from './private-file.ts';
import { retryUntil } from './retry-until.ts';
import { loadSecrets } from './secrets.ts';
import {
  apiService,
  gatewayEnvironment,
  makeWorkerCurrent,
  type Stack,
  simulatorService,
  workerService,
} from './services.ts';
import type { LocalSettings } from './settings.ts';
import { createSupervisor, type ServiceSpecification } from './supervisor.ts';
import { devServerCommand } from './temporal.ts';
import { findTemporalCli } from './tools/temporal-cli.ts';

export type LocalFile = Addresses & {
  database_url: string;
  account_id: string;
  api_key: string;
  /** another person's key, which starts batches */
  approver_api_key: string;
  passphrase: string;
  channels_file: string;
  bill_tokens: Record<string, string>;
  /** two, because moving money needs a second person's approval */
  operators: LocalOperator[];
};

type RunningStack = {
  local: LocalFile;
  localFile: string;
  logs: string;
  /** why the service takes no payments: Postgres's data is older than Temporal's; else null */
  fence: string | null;
  /** a payment page of the demo shop */
  payPage: string;
  stop(): Promise<void>;
};

const OWN_PROCESSES = ['API', 'worker', 'simulator'];
const SERVERS = ['Temporal', 'Postgres'];
const SERVER_PATIENCE_MS = 2_000;
const SERVER_READY_WITHIN_MS = 30_000;

type StackOptions = {
  settings: LocalSettings;
  report: (message: string) => void;
  signal: AbortSignal;
};

/**
 * Starts everything and keeps it running until stop(). If a part fails or `signal` aborts, it stops what it
 * started and throws one sentence.
 */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const { settings, report, signal } = options;
  const { dataFolder } = settings;
  const localFile = path.join(dataFolder, 'local.json');
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  // An earlier version made the folder with another mode.
  await chmod(dataFolder, 0o700);
  const record = await takeOver(dataFolder);
  await rm(localFile, { force: true });
  const ports = await claimPorts(settings);
  const secrets = await loadSecrets(dataFolder);
  const logs = createLogs(dataFolder);
  const supervisor = createSupervisor({ report, onStart: record.note });
  let over = false;
  const start: Start = (specification) => {
    if (over) return Promise.reject(new Error('stopped'));
    return supervisor.start({ ...specification, onLine: logs.writer(specification.name) });
  };
  const stop = async () => {
    over = true;
    await supervisor.stop(OWN_PROCESSES);
    await supervisor.stop(SERVERS);
  };
  try {
    const addresses = addressesOf(settings, ports);
    const databaseUrl =
      settings.databaseUrl ??
      postgresUrl({ port: ports.POSTGRES_PORT, password: secrets.postgresPassword, database: 'malipo' });
    const stack: Stack = { settings, ports, addresses, secrets, databaseUrl };
    const demo = await Promise.race([startAll(stack, options, start), rejectedBy(signal)]);
    const local = contentOf(stack, demo);
    await writePrivateJson(localFile, local);
    return {
      local,
      localFile,
      logs: path.join(dataFolder, 'logs'),
      fence: await readFence(databaseUrl),
      payPage: (await demoPage(local)) ?? local.pay_url,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startAll(stack: Stack, options: StackOptions, start: Start): Promise<Demo> {
  const { settings } = stack;
  // First, because it can take minutes or fail: then nothing has been started.
  const executable =
    settings.temporalAddress === undefined
      ? await findTemporalCli({ progress: options.report, signal: options.signal })
      : null;
  const database = openDatabase(stack, options.signal, start);
  const temporal = openTemporal({ stack, executable, start });
  const [demo] = await Promise.all([
    database,
    temporal,
    database.then((demo) => start(simulatorService(stack, demo))),
    database.then(({ apiKey }) => start(apiService(stack, apiKey))),
    Promise.all([database, temporal])
      .then(() => start(workerService(stack)))
      .then(() => makeWorkerCurrent(stack)),
  ]);
  return demo;
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
  });
}

type Start = (specification: ServiceSpecification) => Promise<void>;

async function openDatabase(stack: Stack, signal: AbortSignal, start: Start): Promise<Demo> {
  const { settings, secrets, databaseUrl, addresses } = stack;
  if (settings.databaseUrl === undefined) await start(await postgresService(stack, signal));
  const database: Database = createDatabase({
    url: databaseUrl,
    poolMax: 2,
    applicationName: 'malipo local',
    rowKeys: keyRing.parse(secrets.SUBMISSION_KEY),
  });
  try {
    await retryUntil(() => database.query('SELECT 1'), {
      deadlineMs: 10_000,
      what: 'The database at DATABASE_URL does not answer',
    });
    await migrate(database).catch((error) => {
      throw error instanceof OtherMigrations ? startAfresh(settings) : error;
    });
    await setRolePasswords(database, {
      api: secrets.postgresApiPassword,
      worker: secrets.postgresWorkerPassword,
    });
    await ensureServiceAccounts(database, channelIds, CURRENCY);
    return await ensureDemo({
      database,
      dataFolder: settings.dataFolder,
      secrets,
      callbackUrl: addresses.callback_url,
    });
  } finally {
    await database.end();
  }
}

/** The worker closes the fence, if necessary, when it starts. */
async function readFence(databaseUrl: string): Promise<string | null> {
  const database = createDatabase({ url: databaseUrl, poolMax: 1, applicationName: 'malipo local' });
  try {
    return await fenceOf(database);
  } finally {
    await database.end();
  }
}

/** Before the first release, other versions' data is not converted. */
function startAfresh({ databaseUrl, dataFolder }: LocalSettings): Error {
  const [data, todo] = databaseUrl
    ? ['The database at DATABASE_URL', 'give it an empty database']
    : [`The data in ${dataFolder}`, 'delete this folder'];
  return new Error(`${data} was made by another version of Malipo: ${todo} and start again.`);
}

async function postgresService(stack: Stack, signal: AbortSignal): Promise<ServiceSpecification> {
  const { settings, ports, secrets } = stack;
  const server = { port: ports.POSTGRES_PORT, password: secrets.postgresPassword };
  const folder = path.join(settings.dataFolder, 'postgres');
  const command = await preparePostgres({ ...server, folder, settings: localPostgresSettings, signal });
  const admin = postgresUrl({ ...server, database: 'postgres' });
  return {
    name: 'Postgres',
    command,
    ready: () => ensureDatabase(admin, 'malipo'),
    readyWithinMs: SERVER_READY_WITHIN_MS,
    patienceMs: SERVER_PATIENCE_MS,
  };
}

async function ensureDatabase(adminUrl: string, name: string): Promise<void> {
  const admin: Database = createDatabase({ url: adminUrl, poolMax: 1, applicationName: 'malipo local' });
  try {
    await retryUntil(() => admin.query('SELECT 1'), {
      deadlineMs: SERVER_READY_WITHIN_MS,
      what: 'Postgres does not answer',
    });
    const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await queryUnlisted(admin, 'a new database', `CREATE DATABASE ${name}`);
  } finally {
    await admin.end();
  }
}

/** A null `executable` means that somebody else runs the server. */
async function openTemporal(given: { stack: Stack; executable: string | null; start: Start }): Promise<void> {
  const { stack, executable } = given;
  const { settings, ports, addresses } = stack;
  const config = loadConfig(gatewayEnvironment(stack, 'worker'));
  const temporal = createTemporalClient(config);
  const retentionDays = neededDays(config.BACKUP_MAX_AGE_DAYS);
  const prepare = () =>
    retryUntil(
      () => prepareTemporal(temporal, { timing: settings.timing, deadlineMs: 5_000, retentionDays }),
      {
        deadlineMs: SERVER_READY_WITHIN_MS,
        what: `Temporal at ${addresses.temporal_address} does not answer`,
      },
    );
  if (executable === null) return prepare();
  await given.start({
    name: 'Temporal',
    command: devServerCommand({
      executable,
      port: ports.TEMPORAL_PORT,
      uiPort: ports.TEMPORAL_UI_PORT,
      dbFile: path.join(settings.dataFolder, 'temporal.db'),
      codecEndpoint: payloadCodecOf(config) && `${addresses.management_url}/codec`,
    }),
    ready: prepare,
    readyWithinMs: SERVER_READY_WITHIN_MS + 5_000,
    patienceMs: SERVER_PATIENCE_MS,
  });
}

function contentOf(stack: Stack, demo: Demo): LocalFile {
  return {
    ...stack.addresses,
    database_url: stack.databaseUrl,
    account_id: demo.accountId,
    api_key: demo.apiKey,
    approver_api_key: demo.approverApiKey,
    passphrase: stack.secrets.passphrase,
    channels_file: channelsFile(stack.settings.channels),
    bill_tokens: stack.secrets.billTokens,
    operators: demo.operators,
  };
}
