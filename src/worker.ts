import { asyncLocalStorage } from '@temporalio/activity';
import { NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import { createActivities } from './activities/index.ts';
import { itemsOfBatches } from './app/batch-items.ts';
import { enterFence } from './app/fence.ts';
import { createSettlements } from './app/settlements.ts';
import { signalPaymentOf } from './app/signal-payment.ts';
import { countAttempts } from './app/watch/callback-attempts.ts';
import { watchFence } from './app/watch/guards.ts';
import { watchPools } from './app/watch/pools.ts';
import { openSdkMetrics } from './app/watch/sdk-metrics.ts';
import {
  allWorkers,
  countedSweep,
  fetchesOf,
  keepSchedules,
  openManagementPort,
} from './app/worker-process.ts';
import { runWorkers } from './app/workers.ts';
import { traceAttempts } from './callbacks/trace.ts';
import { CALLBACKS_IN_FLIGHT_MAX, deliveryOf } from './callbacks/worker-delivery.ts';
import { loadChannels } from './channels/load.ts';
import { createGate } from './channels/traffic/gate.ts';
import { loadConfig } from './config/config.ts';
import { factsOfWorkflow } from './domain/ids.ts';
import { CURRENCY } from './domain/money.ts';
import { channelIds } from './domain/network.ts';
import { healthRulesOf } from './domain/timing.ts';
import { ensureServiceAccounts } from './ledger/accounts.ts';
import { createDatabase, requireSessions } from './platform/db/pool.ts';
import { createSchemaGate, migrationsMissing, waitForSchema } from './platform/db/schema-gate.ts';
import { hasSynchronousStandby } from './platform/db/standby.ts';
import { endInTime } from './platform/process/end-in-time.ts';
import { createLog } from './platform/process/log.ts';
import { createMetrics } from './platform/process/metrics.ts';
import { orEnd } from './platform/process/or-end.ts';
import { buildIdOf } from './platform/temporal/build-id.ts';
import { connectionOptions, createTemporalClient } from './platform/temporal/connect.ts';
import { sdkTelemetry } from './platform/temporal/sdk-log.ts';
import { startTracing } from './platform/trace/start.ts';
import { IMPORT_QUERY_MS_MAX } from './reconciliation/fetch.ts';
import { createFenceGuard } from './transactions/care/fence.ts';
import { observeEndings } from './transactions/ending/announce-end.ts';
import { pagesOf } from './transactions/rows/page-token.ts';

/** This file only wires the worker process. Run as many processes as needed. */
const config = orEnd(() => loadConfig(process.env, { without: ['KEY_HASH_SECRET'] }));
const metrics = createMetrics();
const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
const tracing = await startTracing({ endpoint, service: 'malipo-worker' });
const log = createLog({
  name: 'worker',
  level: config.LOG_LEVEL,
  // A channel does not know the transaction, so its log lines take the id from the workflow.
  facts: () => factsOfWorkflow(asyncLocalStorage.getStore()?.info.workflowExecution?.workflowId),
});
// The SDK logs through our log. Our management port, if there is one, shows its metrics too.
const sdkMetrics = config.WORKER_MANAGEMENT_PORT === undefined ? null : await openSdkMetrics();
Runtime.install(sdkTelemetry(log, sdkMetrics?.address ?? null));
if (sdkMetrics) metrics.append(sdkMetrics.text);
let polls = false;
endInTime(config.SHUTDOWN_GRACE_MS, () => polls);

const onConnect = createFenceGuard();
const rowKeys = config.SUBMISSION_KEY;
const shared = { url: config.DATABASE_URL, onConnect, rowKeys, pages: pagesOf(config) };
const poolMax = config.DATABASE_POOL_MAX;
const database = createDatabase({ ...shared, poolMax, applicationName: 'worker' });
/** Callbacks have connections of their own: a thousand due at once must not delay postings of money. */
const ofCallbacks = { poolMax: Math.ceil(poolMax / 2), applicationName: 'worker callbacks' };
const callbackDatabase = createDatabase({ ...shared, ...ofCallbacks });
/** Imports of statements have a connection of their own, so they do not delay payments. */
const longDatabase = createDatabase({
  ...shared,
  poolMax: 1,
  applicationName: 'worker statements',
  queryTimeoutMs: IMPORT_QUERY_MS_MAX,
});
const schema = createSchemaGate(database);
await requireSessions(database);

const channels = orEnd(() => loadChannels(config, process.env, log));
const buildId = buildIdOf(config.BUILD_ID);
const temporal = createTemporalClient(config);
const workers: Worker[] = [];
const parts = { database, temporal, channels, log, metrics };

watchPools(metrics, { main: database, callbacks: callbackDatabase, statements: longDatabase });
observeEndings(metrics.countEnding);
metrics.watch(migrationsMissing(schema));
await openManagementPort(config, parts, { schema, workers });
// The SDK handles SIGINT and SIGTERM: running tasks end, then run() returns. Losing the supervisor does the
// same.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

await waitForSchema(schema, log);
await ensureServiceAccounts(database, channelIds, CURRENCY);
if (config.MALIPO_ENV === 'production' && !(await hasSynchronousStandby(database)))
  log.error(
    'Postgres has no synchronous standby (synchronous_standby_names): a failover would lose payments',
  );
const connection = await NativeConnection.connect(connectionOptions(config));
const gate = createGate({ database, rules: healthRulesOf(config.GATEWAY_TIMING), log });
const sweep = countedSweep(config, parts);
const statements = fetchesOf(config, parts, longDatabase);
if (!(await enterFence(database, temporal.client)))
  log.error('Postgres was restored or replaced: nothing is sent or decided until recover has run');
watchFence(metrics, async () => (await onConnect(database)) !== null);
const activities = createActivities({
  database,
  channels,
  gate,
  delivery: deliveryOf(config, {
    database: callbackDatabase,
    around: (sender) => traceAttempts(countAttempts(sender, metrics)),
  }),
  sweep,
  statements,
  settlements: createSettlements({
    database,
    client: temporal.client,
    routeOf: channels.routeOf,
    timing: config.GATEWAY_TIMING,
    submissionKeys: config.SUBMISSION_KEY,
  }),
  items: itemsOfBatches(temporal.client),
  tellOfPayment: (prompt) =>
    signalPaymentOf({ database, client: temporal.client, submissionKeys: rowKeys }, prompt),
  submissionKeys: config.SUBMISSION_KEY,
  runbooksUrl: config.RUNBOOKS_URL,
});
const own = { connection, activities, buildId, callbacksInFlightMax: CALLBACKS_IN_FLIGHT_MAX };
workers.push(...(await allWorkers(config, parts, own)));
await keepSchedules(config, { client: temporal.client, log, fetches: statements.isNeeded });

const running = runWorkers(workers);
polls = true;
log.info({ queues: workers.length, build_id: buildId }, 'the worker polls');
process.send?.('ready');
try {
  await running;
} finally {
  await gate.flush();
  const farewells = [
    connection.close(),
    temporal.close(),
    database.end(),
    callbackDatabase.end(),
    longDatabase.end(),
  ];
  await Promise.allSettled([...farewells, tracing?.stop()]);
}
process.exit(0);
