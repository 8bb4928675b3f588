import { setTimeout as pause } from 'node:timers/promises';
import { createKeys } from './accounts/keys.ts';
import { admitted, createAdmission } from './api/kit/admission.ts';
import { createFenceWatch } from './api/kit/fence-watch.ts';
import { createFlows } from './api/kit/flows.ts';
import { counted, createOperations, createTally } from './api/kit/operations.ts';
import { payPort } from './api/pay/port.ts';
import { merchantsPort } from './api/port.ts';
import { retentionGateOf } from './app/retention.ts';
import { watchApi } from './app/watch/api.ts';
import { failedAuthentications } from './app/watch/guards.ts';
import { createUrlPolicy } from './callbacks/guard-url.ts';
import { loadChannels } from './channels/load.ts';
import { createGate } from './channels/traffic/gate.ts';
import { billSettingsOf, loadConfig, rateLimitsOf } from './config/config.ts';
import { healthRulesOf } from './domain/timing.ts';
import { noteChannels } from './operators/actions/note-channels.ts';
import { LEDGER_READ_TIMEOUT_MS } from './operators/api/ledger-reads.ts';
import { managementPort } from './operators/port.ts';
import { startClock } from './platform/db/clock.ts';
import { createDatabase, requireSessions } from './platform/db/pool.ts';
import { createSchemaGate, hasSchema } from './platform/db/schema-gate.ts';
import { createHealthCheck, onceReachable } from './platform/process/health.ts';
import { listen } from './platform/process/listen.ts';
import { createLog } from './platform/process/log.ts';
import { createMetrics } from './platform/process/metrics.ts';
import { orEnd } from './platform/process/or-end.ts';
import { inTime } from './platform/process/promises.ts';
import { payloadCodecOf } from './platform/temporal/codec.ts';
import { createTemporalClient } from './platform/temporal/connect.ts';
import { workflowUrls } from './platform/temporal/web-ui.ts';
import { startTracing } from './platform/trace/start.ts';
import { createFenceGuard } from './transactions/care/fence.ts';
import { pagesOf } from './transactions/rows/page-token.ts';

const config = orEnd(() => loadConfig(process.env));
const log = createLog({ level: config.LOG_LEVEL, name: 'api' });
const metrics = createMetrics();
const tracing = await startTracing({ endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT, service: 'malipo-api' });

const onConnect = createFenceGuard();
const rowKeys = config.SUBMISSION_KEY;
const shared = { url: config.DATABASE_URL, rowKeys, pages: pagesOf(config), onConnect };
const poolMax = config.DATABASE_POOL_MAX;
const database = createDatabase({ ...shared, poolMax, applicationName: 'malipo-api' });
const long = { applicationName: 'malipo-api ledger', poolMax: 2, queryTimeoutMs: LEDGER_READ_TIMEOUT_MS };
const longDatabase = createDatabase({ ...shared, ...long });
await requireSessions(database);
const clock = await startClock(database);
const schema = createSchemaGate(database);
const isFenced = createFenceWatch(database, onConnect);

const temporal = createTemporalClient(config);
const admission = createAdmission();
const tally = createTally();
const ours = createFlows({ ...temporal, submissionKeys: config.SUBMISSION_KEY });
const flows = counted(admitted(ours, admission), tally);
const remembersEnough = retentionGateOf(config, temporal, log);
const isHealthy = createHealthCheck({ database, temporal: flows });
const isRoutable = createHealthCheck({ database, temporal: onceReachable(flows) });

const channels = orEnd(() => loadChannels(config, process.env, log));
const gate = createGate({
  database,
  rules: healthRulesOf(config.GATEWAY_TIMING),
  log,
  carrierOf: (channel, direction) => channels.routeOf(channel, direction)?.connection,
});

const development = config.MALIPO_ENV === 'development';
const hashSecrets = config.KEY_HASH_SECRET;
const keys = createKeys({ database, hashSecrets, environment: development ? 'test' : 'live' });
const urlPolicy = createUrlPolicy({ development, ports: config.CALLBACK_PORTS });
const callbacks = { encryptionKeys: config.ENCRYPTION_KEY, urlPolicy };
const countFailure = metrics.counterOf(failedAuthentications);

/** Shutdown ends after this time: an operator's check of all books may hold a connection for minutes. */
const FAREWELL_MS = 3_000;
let stopping = false;
await noteChannels(database, { channels, log, isStopping: () => stopping });
const parts = { database, longDatabase, flows, channels, gate, keys, callbacks, log, metrics };
watchApi(config, { ...parts, client: temporal.client, clock, schema, isFenced, admission });
const onApiPort = merchantsPort(config, {
  ...parts,
  rateLimits: rateLimitsOf(config),
  observeFailure: () => countFailure('merchants'),
  bills: billSettingsOf(config),
  readOperations: createOperations({ isHealthy, isFenced, flows, gate, tally }),
  isFenced,
  now: clock.now,
});
const onManagementPort = managementPort(config, {
  ...parts,
  workflowUrl: workflowUrls(config),
  codec: payloadCodecOf(config),
  isReady: async () =>
    !stopping && (await isRoutable()) && (await hasSchema(schema)) && (await remembersEnough()),
  observeFailure: () => countFailure('management'),
});
const hosts = config.ALLOWED_HOSTS;
const managementServer = await listen(onManagementPort, {
  hosts,
  port: config.MANAGEMENT_PORT,
  host: config.MANAGEMENT_HOST,
});
const onPayPort = payPort(config, { ...parts, bills: billSettingsOf(config), isFenced, now: clock.now });
const payServer =
  config.PAY_PORT === undefined
    ? null
    : await listen(onPayPort, { hosts, port: config.PAY_PORT, host: config.PAY_HOST });
const apiServer = await listen(onApiPort, {
  hosts,
  port: config.API_PORT,
  host: config.API_HOST,
  docsOrigin: config.PUBLIC_URL,
});
log.info(
  { port: apiServer.port, management_port: managementServer.port, pay_port: payServer?.port },
  'listening',
);
process.send?.('ready');
process.on('SIGTERM', () => void stop('SIGTERM'));
process.on('SIGINT', () => void stop('SIGINT'));
process.on('disconnect', () => void stop('the parent process is gone'));

/** readyz answers 503 first, so that load balancers send nothing new; then open requests end. */
async function stop(reason: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  log.info({ reason }, 'stopping');
  await pause(config.SHUTDOWN_NOTICE_MS);
  const patienceMs = config.SHUTDOWN_GRACE_MS - config.SHUTDOWN_NOTICE_MS;
  await Promise.all([apiServer.close(patienceMs), payServer?.close(patienceMs)]);
  await managementServer.close(0);
  const farewells = [temporal.close(), database.end(), longDatabase.end(), tracing?.stop()];
  await inTime(Promise.allSettled(farewells), FAREWELL_MS, () => {});
  process.exit(0);
}
