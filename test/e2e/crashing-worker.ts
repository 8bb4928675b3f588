import { appendFileSync } from 'node:fs';
import { NativeConnection } from '@temporalio/worker';
import { createActivities } from '../../src/activities/index.ts';
import { itemsOfBatches } from '../../src/app/batch-items.ts';
import { createSettlements } from '../../src/app/settlements.ts';
import { allWorkers, countedSweep } from '../../src/app/worker-process.ts';
import { runWorkers } from '../../src/app/workers.ts';
import { CALLBACKS_IN_FLIGHT_MAX, deliveryOf } from '../../src/callbacks/worker-delivery.ts';
import { loadChannels } from '../../src/channels/load.ts';
import { loadConfig } from '../../src/config/config.ts';
import { createDatabase } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/platform/process/log.ts';
import { createMetrics } from '../../src/platform/process/metrics.ts';
import { buildIdOf } from '../../src/platform/temporal/build-id.ts';
import { connectionOptions, createTemporalClient } from '../../src/platform/temporal/connect.ts';
import { gateOf } from '../support/gate.ts';
import { createStopAt, type StopPlan } from './stop-at.ts';

/**
 * The worker process of src/worker.ts, wired to stop dead at named steps of named transactions: the code of the
 * service knows nothing of it. STOP_PLAN is a JSON StopPlan; what happened is appended to STOP_LOG, a line each.
 */
const config = loadConfig(process.env);
const plan: StopPlan = JSON.parse(process.env.STOP_PLAN ?? '{}');
const stopAt = createStopAt(plan, (line) => appendFileSync(process.env.STOP_LOG ?? '/dev/null', `${line}\n`));

const database = createDatabase({
  url: config.DATABASE_URL,
  poolMax: config.DATABASE_POOL_MAX,
  applicationName: 'worker',
  rowKeys: config.SUBMISSION_KEY,
});
const log = createLog({ level: config.LOG_LEVEL, name: 'worker' });
const channels = stopAt.channels(loadChannels(config, process.env, log));
const temporal = createTemporalClient(config);
const { client } = temporal;
const parts = { database, temporal, channels, log, metrics: createMetrics() };
const activities = createActivities({
  database: stopAt.database(database),
  channels,
  gate: gateOf(database),
  delivery: stopAt.delivery(deliveryOf(config, { database, around: stopAt.sender })),
  sweep: countedSweep(config, parts),
  items: stopAt.items(itemsOfBatches(client)),
  settlements: stopAt.settlements(
    createSettlements({
      database,
      client,
      routeOf: channels.routeOf,
      timing: config.GATEWAY_TIMING,
      submissionKeys: config.SUBMISSION_KEY,
    }),
  ),
  submissionKeys: config.SUBMISSION_KEY,
});
const workers = await allWorkers(config, parts, {
  connection: await NativeConnection.connect(connectionOptions(config)),
  activities: stopAt.activities(activities, { database }),
  buildId: buildIdOf(config.BUILD_ID),
  callbacksInFlightMax: CALLBACKS_IN_FLIGHT_MAX,
});
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
const running = runWorkers(workers);
process.send?.('ready');
await running;
process.exit(0);
