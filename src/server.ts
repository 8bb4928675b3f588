import type { RequestListener } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { markOf } from './accounts/key-format.ts';
import { createKeys } from './accounts/keys.ts';
import { defaultLimitsOf } from './accounts/limits.ts';
import { admitted, createAdmission } from './api/admission.ts';
import { createBillDoors } from './api/doors/bill-door.ts';
import { createDoors } from './api/doors/notifications.ts';
import { createFenceWatch } from './api/fence-watch.ts';
import { createFlows } from './api/flows.ts';
import { createApp } from './api/http/app.ts';
import { createClientAddress } from './api/http/middleware/client-address.ts';
import { createRateLimits } from './api/http/middleware/rate-limits.ts';
import { createChannelRates } from './api/http/middleware/token-bucket.ts';
import { createDocs } from './api/reference/docs-page.ts';
import { openApiOf } from './api/reference/openapi.ts';
import { createRoutes, endpoints } from './api/routes.ts';
import { createUrlPolicy } from './callbacks/guard-url.ts';
import { signCallback } from './callbacks/signed.ts';
import { fingerprintsOf, namedSecretsIn } from './channels/fingerprints.ts';
import { loadChannels, readPlan } from './channels/load.ts';
import { billSettingsOf, loadConfig, rateLimitsOf } from './config.ts';
import { startClock } from './db/clock.ts';
import { isDatabaseDown, isSchemaBehind } from './db/errors.ts';
import { createDatabase, requireSessions } from './db/pool.ts';
import { createSchemaGate, hasSchema, migrationsMissing } from './db/schema-gate.ts';
import { channelIds } from './domain/network.ts';
import { healthRulesOf } from './domain/timing.ts';
import { createOperatorApp, OPERATOR_PREFIX } from './operator-api/app.ts';
import type { Deps } from './operator-api/call.ts';
import { createLedgerReads, LEDGER_READ_TIMEOUT_MS } from './operator-api/ledger-reads.ts';
import { createOperators } from './operators/people/operators.ts';
import { createActions } from './operators/proposals/action-table.ts';
import { noteConnections } from './operators/proposals/channel-changes.ts';
import { createProposals } from './operators/proposals/proposals.ts';
import { createHealthCheck, onceReachable } from './process/health.ts';
import { listen } from './process/listen.ts';
import { createLog } from './process/log.ts';
import { createManagementApp, splitByPath } from './process/management.ts';
import { createMetrics } from './process/metrics.ts';
import { orEnd } from './process/or-end.ts';
import { inTime } from './process/promises.ts';
import { keepSecretUses, namedKeys } from './secrets/uses.ts';
import { payloadCodecOf } from './temporal/codec.ts';
import { createTemporalClient } from './temporal/connect.ts';
import { retentionGateOf } from './temporal/retention.ts';
import { workflowUrls } from './temporal/web-ui.ts';
import { startTracing } from './trace/start.ts';
import { createGate } from './traffic/gate.ts';
import { controlNumbersLeft } from './transactions/acceptance/control-numbers.ts';
import { createFenceGuard } from './transactions/care/fence.ts';
import { observeEndings } from './transactions/ending/announce-end.ts';
import { noteReceiptSpaces } from './transactions/rows/receipt-spaces.ts';
import { getTransaction } from './transactions/rows/store.ts';
import { failedAuthentications, watchClock, watchFence } from './watch/guards.ts';
import { watchPools } from './watch/pools.ts';
import { watchQueues } from './watch/queues.ts';
import { watchState } from './watch/state.ts';
import { watchTraffic } from './watch/traffic.ts';

/**
 * The API: wiring only. First what both ports work with, then what is watched and opened, then how it stops. Each port is
 * put together in a function below.
 */
const config = orEnd(() => loadConfig(process.env));
const development = config.MALIPO_ENV === 'development';
const environment = development ? 'test' : 'live';
const hashSecrets = config.KEY_HASH_SECRET;
const log = createLog({ level: config.LOG_LEVEL, name: 'api' });
const metrics = createMetrics();
const tracing = config.OTEL_EXPORTER_OTLP_ENDPOINT
  ? await startTracing({ endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT, service: 'malipo-api' })
  : null;

const lookAtFence = createFenceGuard();
const database = createDatabase({
  url: config.DATABASE_URL,
  poolMax: config.DATABASE_POOL_MAX,
  applicationName: 'malipo-api',
  rowKeys: config.SUBMISSION_KEY,
  onConnect: lookAtFence,
});
/** Reads of the whole ledger take long by their nature, and hold up nobody else. */
const longDatabase = createDatabase({
  url: config.DATABASE_URL,
  poolMax: 2,
  applicationName: 'malipo-api ledger',
  rowKeys: config.SUBMISSION_KEY,
  onConnect: lookAtFence,
  queryTimeoutMs: LEDGER_READ_TIMEOUT_MS,
});
await requireSessions(database);
const clock = await startClock(database);
const { now } = clock;
const temporal = createTemporalClient(config);
const admission = createAdmission();
const flows = admitted(createFlows({ ...temporal, submissionKeys: config.SUBMISSION_KEY }), admission);
const channels = orEnd(() => loadChannels(config, process.env, log));
const plan = readPlan(config, process.env);
const [{ key: fingerprintKey }] = config.NOTIFICATION_SECRET;
keepSecretUses(database, [...namedKeys(config), ...namedSecretsIn(plan, fingerprintKey)]);

const { store, ...sizes } = rateLimitsOf(config);
const countFailure = metrics.counterOf(failedAuthentications);
const limits = createRateLimits({
  ...sizes,
  shared: store === 'postgres' ? database : null,
  log,
  observeFailure: () => countFailure('merchants'),
});
const addressOf = createClientAddress(config.TRUSTED_PROXIES);
const keys = createKeys({ database, hashSecrets, environment });
const gate = createGate({ database, rules: healthRulesOf(config.GATEWAY_TIMING), log });
const callbackDeps = {
  encryptionKeys: config.ENCRYPTION_KEY,
  urlPolicy: createUrlPolicy({ development, ports: config.CALLBACK_PORTS }),
};
const isFenced = createFenceWatch(database, lookAtFence);
const schema = createSchemaGate(database);
const isHealthy = createHealthCheck({ database, temporal: flows });
const remembersEnough = retentionGateOf(config, temporal, log);
const isRoutable = createHealthCheck({ database, temporal: onceReachable(flows) });

/** An operator's check of all the books reads for minutes: its connection is not waited for. */
const FAREWELL_MS = 3_000;

let stopping = false;
await noteSpaces();
watchAll();
const [onApiPort, onManagementPort] = [merchantsPort(), managementPort()];
const managementServer = await listen(onManagementPort, {
  port: config.MANAGEMENT_PORT,
  host: config.MANAGEMENT_HOST,
});
const apiServer = await listen(onApiPort, { port: config.API_PORT, host: config.API_HOST });
log.info({ port: apiServer.port, management_port: managementServer.port }, 'listening');
process.send?.('ready');
void noteChannels();
process.on('SIGTERM', () => void stop('SIGTERM'));
process.on('SIGINT', () => void stop('SIGINT'));
process.on('disconnect', () => void stop('the parent process is gone'));

function watchAll(): void {
  watchClock(metrics, clock);
  watchFence(metrics, isFenced);
  watchTraffic(metrics, { channels: channelIds, channelStates: gate.states, admission: admission.state });
  metrics.watch({
    name: 'control_numbers_left',
    help: 'Control numbers that no account has been given',
    read: () => controlNumbersLeft(database, config.BILL_CONTROL_NUMBER_PREFIX),
  });
  watchState(metrics, { database, channels: channelIds, log });
  watchQueues(metrics, { client: temporal.client, channels: channelIds });
  observeEndings(metrics.countEnding);
  metrics.watch(migrationsMissing(schema));
  watchPools(metrics, { main: database, ledger: longDatabase });
}

/** The merchants' port: their API, the doors of the channels, and the reference. */
function merchantsPort(): RequestListener {
  const routes = createRoutes({
    database,
    flows,
    timing: config.GATEWAY_TIMING,
    bills: billSettingsOf(config),
    previews: {
      perDay: config.PREVIEWS_PER_ACCOUNT_PER_DAY,
      mayLookUp: createChannelRates(channels.rateOf),
    },
    routeOf: channels.routeOf,
    gate,
    callbackSettings: callbackDeps,
    signCallback: (asked) => signCallback(database, asked, callbackDeps.encryptionKeys),
    isHealthy,
    isFenced,
    now,
  });
  const docs = createDocs({
    document: openApiOf(endpoints),
    admitReader: (context) => limits.admitReader(addressOf(context.req)),
    demoKey: (development && config.DOCS_DEMO_KEY) || null,
    tryItOut: development,
  });
  const doors = [...channelDoors(), ...docs];
  return createApp({ routes, doors, keys, limits, addressOf, log, metrics, now }).callback();
}

/** Where channels come in: with notifications, and with customers' payments of bills. */
function channelDoors() {
  const failures = { ...limits, addressOf };
  return [
    ...createDoors({ database, flows, doors: channels.notificationDoors, failures }),
    ...createBillDoors({
      database,
      flows,
      connections: channels.billConnections,
      failures,
      observe: metrics.countBillPayment,
      now,
    }),
  ];
}

/** Health, metrics and the codec, and the operator API beside them. */
function managementPort(): RequestListener {
  const codec = payloadCodecOf(config);
  const management = createManagementApp({
    metrics,
    isReady: async () =>
      !stopping && (await isRoutable()) && (await hasSchema(schema)) && (await remembersEnough()),
    codec:
      codec && config.CODEC_UI_ORIGINS
        ? { codec, origins: config.CODEC_UI_ORIGINS, token: config.CODEC_TOKEN ?? null }
        : null,
  });
  const operators = createOperatorApp({
    deps: operatorDeps(),
    // Other proxies stand before this port, or none: those of merchants are not believed here.
    addressOf: createClientAddress(config.MANAGEMENT_TRUSTED_PROXIES),
    log,
    metrics,
    observeFailure: () => countFailure('management'),
  });
  return splitByPath(OPERATOR_PREFIX, operators.callback(), management.callback());
}

function operatorDeps(): Deps {
  const actions = createActions({
    payoutRouteOf: (channel) => channels.routeOf(channel, 'payout'),
    timing: config.GATEWAY_TIMING,
    hashSecrets,
    environment,
    callbacks: callbackDeps,
  });
  return {
    database,
    keys,
    newAccountLimits: defaultLimitsOf(config),
    operators: createOperators({ database, hashSecrets }),
    proposals: createProposals({ database, actions, fourEyes: config.FOUR_EYES }),
    wake: async (transactionId) => void (await flows.signal(transactionId, 'stored')),
    begin: async (transactionId) => {
      const transaction = await getTransaction(database, transactionId);
      if (transaction) await flows.begin(transaction);
    },
    hint: async (transactionId) => void (await flows.signal(transactionId, 'hint')),
    workflowUrl: workflowUrls(config),
    deliver: flows.deliver,
    ledger: createLedgerReads(longDatabase),
    longDatabase,
    markOf: (number) => markOf(hashSecrets, number),
    channelStates: gate.states,
  };
}

/** Throws where the channels file contradicts what was noted before. A database that is not ready yet is asked again later. */
async function noteSpaces(): Promise<void> {
  await noteReceiptSpaces(database, channels.receiptSpaces).catch((error) => {
    if (!isDatabaseDown(error) && !isSchemaBehind(error)) throw error;
  });
}

/** Waits for a database that is down or not migrated yet; until then nothing is accepted either. */
async function noteChannels(): Promise<void> {
  const againMs = 5_000;
  const connections = fingerprintsOf(plan, fingerprintKey);
  while (!stopping) {
    await noteSpaces();
    const changed = await noteConnections(database, { connections, actor: 'api' }).catch(() => null);
    if (changed && changed.length > 0) log.warn({ changed }, 'channels are configured differently');
    if (changed) return;
    await pause(againMs, undefined, { ref: false });
  }
}

/**
 * First readyz answers 503, so that load balancers notice. Requests are taken for a while longer, and those in flight
 * are answered. A second signal changes nothing.
 */
async function stop(reason: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  log.info({ reason }, 'stopping');
  await pause(config.SHUTDOWN_NOTICE_MS);
  await apiServer.close(config.SHUTDOWN_GRACE_MS - config.SHUTDOWN_NOTICE_MS);
  await managementServer.close(0);
  const farewells = [temporal.close(), database.end(), longDatabase.end(), tracing?.stop()];
  await inTime(Promise.allSettled(farewells), FAREWELL_MS, () => {});
  process.exit(0);
}
