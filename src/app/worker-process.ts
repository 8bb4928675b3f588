import type { Client } from '@temporalio/client';
import type { NativeConnection, Worker } from '@temporalio/worker';
import type { StatementSource } from '../channels/kit/statement-source.ts';
import type { Config } from '../config/config.ts';
import { channelIds } from '../domain/network.ts';
import type { Database } from '../platform/db/pool.ts';
import { hasSchema, type SchemaGate } from '../platform/db/schema-gate.ts';
import { createHealthCheck } from '../platform/process/health.ts';
import { listen } from '../platform/process/listen.ts';
import { createManagementApp } from '../platform/process/management.ts';
import type { Metrics } from '../platform/process/metrics.ts';
import type { LinesLog } from '../platform/temporal/activity-log.ts';
import { dataConverterOf, type TemporalClient } from '../platform/temporal/connect.ts';
import { workflowUrls } from '../platform/temporal/web-ui.ts';
import { accountsInUse } from '../reconciliation/explain.ts';
import type { WatchedCertificate } from '../transactions/care/certificates.ts';
import type { VolumeAlarm } from '../transactions/ending/volume.ts';
import { createStatementFetches } from './fetch-statements.ts';
import { retentionGateOf } from './retention.ts';
import {
  ensureSettlementsSchedule,
  ensureStatementsSchedule,
  ensureSweepSchedule,
  keepMark,
} from './schedule.ts';
import { createSweep } from './sweep.ts';
import { createWorkers, type WorkersOptions } from './workers.ts';

type Parts = {
  database: Database;
  temporal: TemporalClient;
  channels: Parameters<typeof accountsInUse>[0] & {
    statementSources: ReadonlyMap<string, StatementSource>;
    rateOf: WorkersOptions['channelRateOf'];
    enquiryRateOf: WorkersOptions['enquiryRateOf'];
    volumeAlarms: readonly VolumeAlarm[];
    certificates: readonly WatchedCertificate[];
  };
  log: LinesLog;
  metrics: Metrics;
};

/** time after which the next sweep takes an unattended transaction */
const unattendedAfterMs = ({ GATEWAY_TIMING: timing }: Config) => (timing === 'fast' ? 5_000 : 60_000);

export function countedSweep(config: Config, { database, temporal, channels, metrics }: Parts) {
  const made = createSweep({
    database,
    client: temporal.client,
    unattendedAfterMs: unattendedAfterMs(config),
    submissionKeys: config.SUBMISSION_KEY,
    keepMark: (mark) => keepMark(temporal.client, mark),
    volumeAlarms: channels.volumeAlarms,
    certificates: channels.certificates,
    statementAccounts: [...accountsInUse(channels).values()],
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

/** Fetches leave out the newest entries, because a payment is listed at its prompt's start, minutes ago. */
const settleMs = ({ GATEWAY_TIMING: timing }: Config) => (timing === 'fast' ? 2_000 : 15 * 60_000);

export function fetchesOf(
  config: Config,
  { temporal, channels }: Pick<Parts, 'temporal' | 'channels'>,
  longDatabase: Database,
) {
  return createStatementFetches({
    longDatabase,
    client: temporal.client,
    accounts: accountsInUse(channels),
    sources: channels.statementSources,
    keys: config.ENCRYPTION_KEY,
    settleMs: settleMs(config),
  });
}

/** Every queue of every channel has a worker, even if the file no longer names the channel. */
export function allWorkers(
  config: Config,
  { channels, log, metrics }: Parts,
  own: Pick<WorkersOptions, 'activities' | 'callbacksInFlightMax'> & {
    connection: NativeConnection;
    buildId: string;
  },
): Promise<Worker[]> {
  return createWorkers({
    ...own,
    namespace: config.TEMPORAL_NAMESPACE,
    dataConverter: dataConverterOf(config),
    channels: channelIds,
    log,
    observeActivity: metrics.observeActivity,
    shutdownGraceMs: config.SHUTDOWN_GRACE_MS,
    patches: config.WORKFLOW_PATCHES,
    channelRateOf: channels.rateOf,
    enquiryRateOf: channels.enquiryRateOf,
  });
}

/** Makes schedules that are missing or were deleted; every worker checks. */
export async function keepSchedules(
  config: Config,
  { client, log, fetches }: { client: Client; log: LinesLog; fetches: boolean },
): Promise<void> {
  const look = async () => {
    try {
      if (await ensureSweepSchedule(client, config.GATEWAY_TIMING))
        log.warn({}, 'the schedule of the sweep was missing and was made again');
      if (fetches && (await ensureStatementsSchedule(client, config.GATEWAY_TIMING)))
        log.info({}, 'statements are fetched by a schedule from now on');
      if (await ensureSettlementsSchedule(client))
        log.info({}, 'settlements are made by a schedule from now on');
    } catch (error) {
      log.error({ error }, 'the schedules could not be checked');
    }
  };
  await look();
  setInterval(() => void look(), unattendedAfterMs(config)).unref();
}

/** Serves health and metrics if a port is configured. Ready while all of `workers` run, at least one. */
export async function openManagementPort(
  config: Config,
  { database, temporal, log, metrics }: Parts,
  { schema, workers }: { schema: SchemaGate; workers: readonly Worker[] },
): Promise<void> {
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
  await listen(app.callback(), {
    hosts: config.ALLOWED_HOSTS,
    port: config.WORKER_MANAGEMENT_PORT,
    host: config.MANAGEMENT_HOST,
  });
}
