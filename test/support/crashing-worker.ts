import { appendFileSync } from 'node:fs';
import { NativeConnection } from '@temporalio/worker';
import { createActivities } from '../../src/activities/index.ts';
import { itemsOfBatches } from '../../src/app/batch-items.ts';
import { createSettlements } from '../../src/app/settlements.ts';
import { createSweep } from '../../src/app/sweep.ts';
import { createWorkers, runWorkers } from '../../src/app/workers.ts';
import { createDelivery } from '../../src/callbacks/deliver.ts';
import { createUrlPolicy } from '../../src/callbacks/guard-url.ts';
import { createCallbackSender } from '../../src/callbacks/send.ts';
import { loadChannels } from '../../src/channels/load.ts';
import { loadConfig } from '../../src/config/config.ts';
import { channelIds } from '../../src/domain/network.ts';
import { callbackDelaysMs } from '../../src/domain/timing.ts';
import { createDatabase } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/platform/process/log.ts';
import { buildIdOf } from '../../src/platform/temporal/build-id.ts';
import {
  connectionOptions,
  createTemporalClient,
  dataConverterOf,
} from '../../src/platform/temporal/connect.ts';
import { gateOf } from './gate.ts';
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
const channels = stopAt.channels(
  loadChannels(config, process.env, createLog({ level: 'silent', name: 'worker' })),
);
const temporal = createTemporalClient(config);
const policy = createUrlPolicy({ development: true, ports: config.CALLBACK_PORTS });
const delivery = createDelivery({
  database,
  sender: stopAt.sender(createCallbackSender({ policy, userAgent: 'Malipo/0.1' })),
  encryptionKeys: config.ENCRYPTION_KEY,
  delaysMs: callbackDelaysMs(config.GATEWAY_TIMING),
});
const sweep = createSweep({
  keepMark: async () => {},
  database,
  client: temporal.client,
  unattendedAfterMs: 5_000,
  submissionKeys: config.SUBMISSION_KEY,
});
const workers = await createWorkers({
  connection: await NativeConnection.connect(connectionOptions(config)),
  namespace: config.TEMPORAL_NAMESPACE,
  dataConverter: dataConverterOf(config),
  activities: stopAt.activities(
    createActivities({
      database: stopAt.database(database),
      channels,
      gate: gateOf(database),
      delivery: stopAt.delivery(delivery),
      sweep,
      items: stopAt.items(itemsOfBatches(temporal.client)),
      settlements: stopAt.settlements(
        createSettlements({
          database,
          client: temporal.client,
          routeOf: channels.routeOf,
          timing: config.GATEWAY_TIMING,
          submissionKeys: config.SUBMISSION_KEY,
        }),
      ),
      submissionKeys: config.SUBMISSION_KEY,
    }),
    { database },
  ),
  channels: channelIds,
  log: createLog({ level: config.LOG_LEVEL, name: 'worker' }),
  channelRateOf: channels.rateOf,
  enquiryRateOf: channels.enquiryRateOf,
  buildId: buildIdOf(config.BUILD_ID),
});
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
const running = runWorkers(workers);
process.send?.('ready');
await running;
process.exit(0);
