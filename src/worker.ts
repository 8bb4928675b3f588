import { asyncLocalStorage } from '@temporalio/activity';
import { NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import { createActivities } from './activities/index.ts';
import { createDelivery } from './callbacks/deliver.ts';
import { createUrlPolicy } from './callbacks/guard-url.ts';
import { createCallbackSender } from './callbacks/send.ts';
import { namedSecretsIn } from './channels/fingerprints.ts';
import { loadChannels, readPlan } from './channels/load.ts';
import { loadConfig } from './config.ts';
import { createDatabase, requireSessions } from './db/pool.ts';
import { createSchemaGate, hasSchema, migrationsMissing, waitForSchema } from './db/schema-gate.ts';
import { hasSynchronousStandby } from './db/standby.ts';
import { factsOfWorkflow } from './domain/ids.ts';
import { CURRENCY } from './domain/money.ts';
import { channelIds } from './domain/network.ts';
import { callbackDelaysMs, healthRulesOf } from './domain/timing.ts';
import { ensureServiceAccounts } from './ledger/accounts.ts';
import { createHealthCheck } from './process/health.ts';
import { listen } from './process/listen.ts';
import { createLog } from './process/log.ts';
import { createManagementApp } from './process/management.ts';
import { createMetrics } from './process/metrics.ts';
import { orEnd } from './process/or-end.ts';
import { keepSecretUses, namedKeys } from './secrets/uses.ts';
import { buildIdOf } from './temporal/build-id.ts';
import { connectionOptions, createTemporalClient, dataConverterOf } from './temporal/connect.ts';
import { enterFence } from './temporal/fence.ts';
import { retentionGateOf } from './temporal/retention.ts';
import { ensureSweepSchedule, keepMark } from './temporal/schedule.ts';
import { sdkTelemetry } from './temporal/sdk-log.ts';
import { createSweep } from './temporal/sweep.ts';
import { workflowUrls } from './temporal/web-ui.ts';
import { createWorkers } from './temporal/workers.ts';
import { traceAttempts } from './trace/callback.ts';
import { startTracing } from './trace/start.ts';
import { createGate } from './traffic/gate.ts';
import { createFenceGuard } from './transactions/care/fence.ts';
import { observeEndings } from './transactions/ending/announce-end.ts';
import { countAttempts } from './watch/callback-attempts.ts';
import { watchFence } from './watch/guards.ts';
import { watchPools } from './watch/pools.ts';
import { openSdkMetrics } from './watch/sdk-metrics.ts';

/**
 * The worker process: workflows, money, channels and callbacks. Run as many as needed. Wiring only: what it works with,
 * what it waits for, then it polls until a signal ends it.
 */
const config = orEnd(() => loadConfig(process.env, { without: ['KEY_HASH_SECRET'] }));
const metrics = createMetrics();
const tracing = config.OTEL_EXPORTER_OTLP_ENDPOINT
  ? await startTracing({ endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT, service: 'malipo-worker' })
  : null;
const log = createLog({
  name: 'worker',
  level: config.LOG_LEVEL,
  // A channel knows no transaction, but its calls are made for one.
  facts: () => factsOfWorkflow(asyncLocalStorage.getStore()?.info.workflowExecution?.workflowId),
});
/** An unattended transaction is picked up by the next sweep after this long. */
const UNATTENDED_AFTER_MS = config.GATEWAY_TIMING === 'fast' ? 5_000 : 60_000;

/** Without Temporal a worker cannot take its leave and would wait for ever: then it simply ends, this long after. */
const FAREWELL_MS = 3_000;

/** Sockets to receivers of callbacks, at most: some 50 KiB each with TLS (callbacks/places.ts shares them out). */
const CALLBACKS_IN_FLIGHT_MAX = 2_000;

let polls = false;
await installRuntime();
endInTime();

const lookAtFence = createFenceGuard();
const database = createDatabase({
  url: config.DATABASE_URL,
  poolMax: config.DATABASE_POOL_MAX,
  applicationName: 'worker',
  rowKeys: config.SUBMISSION_KEY,
  onConnect: lookAtFence,
});
/** A thousand callbacks that are due at once queue for connections of their own, not for those that post money. */
const callbackDatabase = createDatabase({
  url: config.DATABASE_URL,
  poolMax: Math.ceil(config.DATABASE_POOL_MAX / 2),
  applicationName: 'worker callbacks',
  onConnect: lookAtFence,
});
watchPools(metrics, { main: database, callbacks: callbackDatabase });
observeEndings(metrics.countEnding);
await requireSessions(database);
const channels = orEnd(() => loadChannels(config, process.env, log));
const inChannels = namedSecretsIn(readPlan(config, process.env), config.NOTIFICATION_SECRET[0].key);
keepSecretUses(database, [...namedKeys(config), ...inChannels]);
const schema = createSchemaGate(database);
const buildId = buildIdOf(config.BUILD_ID);
const temporal = createTemporalClient(config);
const workers: Worker[] = [];

await openManagementPort();
// SIGINT and SIGTERM are the SDK's: it lets what runs end, then run() returns. A supervisor that is gone means the same.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
metrics.watch(migrationsMissing(schema));
await waitForSchema(schema, log);
await ensureServiceAccounts(database, channelIds, CURRENCY);
await sayIfWithoutStandby();

const connection = await NativeConnection.connect(connectionOptions(config));
const gate = createGate({ database, rules: healthRulesOf(config.GATEWAY_TIMING), log });
const sweep = createCountedSweep();
if (!(await enterFence(database, temporal.client)))
  log.error('Postgres was restored or replaced: nothing is sent or decided until recover has run');
watchFence(metrics, async () => (await lookAtFence(database)) !== null);
workers.push(...(await createAllWorkers()));
await keepSchedule();
setInterval(() => void keepSchedule(), UNATTENDED_AFTER_MS).unref();

const running = workers.map((worker) => worker.run());
polls = true;
log.info({ queues: running.length, build_id: buildId }, 'the worker polls');
process.send?.('ready');
try {
  await Promise.all(running);
} finally {
  await gate.flush();
  await Promise.allSettled([
    connection.close(),
    temporal.close(),
    database.end(),
    callbackDatabase.end(),
    tracing?.stop(),
  ]);
}
process.exit(0);

/** The SDK's own log lines become ours; its metrics are shown with ours where there is a port for them. */
async function installRuntime(): Promise<void> {
  const sdkMetrics = config.WORKER_MANAGEMENT_PORT === undefined ? null : await openSdkMetrics();
  Runtime.install(sdkTelemetry(log, sdkMetrics?.address ?? null));
  if (sdkMetrics) metrics.append(sdkMetrics.text);
}

/** Health and metrics, where a port is configured; open before the worker is ready. */
async function openManagementPort(): Promise<void> {
  if (config.WORKER_MANAGEMENT_PORT === undefined) return;
  const isHealthy = createHealthCheck({ database, temporal });
  const remembersEnough = retentionGateOf(config, temporal, log);
  const isReady = async () =>
    workers.length > 0 &&
    workers.every((worker) => worker.getState() === 'RUNNING') &&
    (await isHealthy()) &&
    (await hasSchema(schema)) &&
    (await remembersEnough());
  const app = createManagementApp({ metrics, isReady, codec: null });
  await listen(app.callback(), { port: config.WORKER_MANAGEMENT_PORT, host: config.MANAGEMENT_HOST });
}

async function sayIfWithoutStandby(): Promise<void> {
  if (config.MALIPO_ENV !== 'production' || (await hasSynchronousStandby(database))) return;
  log.error(
    'Postgres has no synchronous standby (synchronous_standby_names): a failover would lose payments',
  );
}

/** The sweep, with a count of its duties that failed. */
function createCountedSweep() {
  const made = createSweep({
    database,
    client: temporal.client,
    unattendedAfterMs: UNATTENDED_AFTER_MS,
    submissionKeys: config.SUBMISSION_KEY,
    keepMark: (mark) => keepMark(temporal.client, mark),
    volumeAlarms: channels.volumeAlarms,
    controlNumberPrefix: config.BILL_CONTROL_NUMBER_PREFIX,
    links: { runbooksUrl: config.RUNBOOKS_URL, workflowUrl: workflowUrls(config) },
    observeFailure: (duty) => countFailure(duty),
  });
  const countFailure = metrics.counterOf({
    name: 'sweep_duty_failures_total',
    help: 'Duties of the sweep that failed, by duty; the others were done all the same',
    label: 'duty',
    values: made.duties,
  });
  return made;
}

function createAllWorkers(): Promise<Worker[]> {
  return createWorkers({
    connection,
    namespace: config.TEMPORAL_NAMESPACE,
    dataConverter: dataConverterOf(config),
    activities: createActivities({
      database,
      channels,
      gate,
      delivery: deliveryOfCallbacks(),
      sweep,
      submissionKeys: config.SUBMISSION_KEY,
      runbooksUrl: config.RUNBOOKS_URL,
    }),
    // All of them: what was sent over one that the file no longer names is looked after to its end.
    channels: channelIds,
    log,
    observeActivity: metrics.observeActivity,
    shutdownGraceMs: config.SHUTDOWN_GRACE_MS,
    buildId,
    patches: config.WORKFLOW_PATCHES,
    channelRateOf: channels.rateOf,
    enquiryRateOf: channels.enquiryRateOf,
    callbacksInFlightMax: CALLBACKS_IN_FLIGHT_MAX,
  });
}

/** Callbacks to merchants: guarded, counted and traced. */
function deliveryOfCallbacks() {
  const policy = createUrlPolicy({
    development: config.MALIPO_ENV === 'development',
    ports: config.CALLBACK_PORTS,
  });
  const sender = createCallbackSender({
    policy,
    userAgent: 'Malipo/0.1',
    inFlightMax: CALLBACKS_IN_FLIGHT_MAX,
  });
  return createDelivery({
    database: callbackDatabase,
    sender: traceAttempts(countAttempts(sender, metrics)),
    encryptionKeys: config.ENCRYPTION_KEY,
    delaysMs: callbackDelaysMs(config.GATEWAY_TIMING),
  });
}

/** Made again where somebody deleted it; looked at by every worker. */
async function keepSchedule(): Promise<void> {
  try {
    if (await ensureSweepSchedule(temporal.client, config.GATEWAY_TIMING))
      log.warn('the schedule of the sweep was missing: it is there again');
  } catch (error) {
    log.error({ error }, 'nobody knows whether the sweep has its schedule');
  }
}

/** The SDK keeps a signal that comes before it polls until it does, and a worker may wait hours for its migrations. */
function endInTime(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      if (!polls) process.exit(0);
      setTimeout(() => process.exit(1), config.SHUTDOWN_GRACE_MS + FAREWELL_MS).unref();
    });
  }
}
