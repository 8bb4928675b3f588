import { NativeConnection, type Worker } from '@temporalio/worker';
import { createActivities } from '../../src/activities/index.ts';
import { createSweep } from '../../src/app/sweep.ts';
import { createWorkers, runWorkers } from '../../src/app/workers.ts';
import { createLog } from '../../src/platform/process/log.ts';
import {
  connectionOptions,
  createTemporalClient,
  dataConverterOf,
  type TemporalClient,
} from '../../src/platform/temporal/connect.ts';
import { registerSearchAttributes } from '../../src/platform/temporal/search-attributes.ts';
import { useTestDatabase } from '../support/database.ts';
import { keyOf, ringOf, submissionKeys } from '../support/key-rings.ts';
import '../support/quiet-runtime.ts';
import { gateOf } from '../support/gate.ts';
import { createScriptedChannel } from '../support/scripted-channel.ts';
import { startTemporalDevServer } from '../support/temporal.ts';

/** A real server, client and workers with payload keys: what the SDK tells a codec, and when, is seen here only. */
export function useEncryptedWorkers() {
  const test = useTestDatabase({ poolMax: 10 });
  let temporal: TemporalClient;
  let native: NativeConnection;
  let address: string;
  let workers: Worker[];
  let running: Promise<void>;
  const script = createScriptedChannel();

  before(async () => {
    ({ address } = await startTemporalDevServer());
    const settings = {
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: 'default',
      TEMPORAL_API_KEY: undefined,
      TEMPORAL_TLS: false,
      ENCRYPTION_KEY: ringOf(),
      PAYLOAD_ENCRYPTION_KEYS: [keyOf('2026')] as const,
    };
    temporal = createTemporalClient(settings);
    await registerSearchAttributes(temporal.connection, 'default');
    native = await NativeConnection.connect(connectionOptions(settings));
    const sweep = createSweep({
      database: test.database,
      client: temporal.client,
      unattendedAfterMs: 0,
      submissionKeys,
      keepMark: async () => {},
    });
    workers = await createWorkers({
      connection: native,
      namespace: 'default',
      dataConverter: dataConverterOf(settings),
      activities: createActivities({
        database: test.database,
        channels: script.channels,
        gate: gateOf(test.database),
        delivery: { attempt: async () => ({ kind: 'delivered' }) },
        sweep,
        submissionKeys,
      }),
      channels: ['m-pesa'],
      channelRateOf: () => 1_000,
      enquiryRateOf: () => 1_000,
      log: createLog({ level: 'silent', name: 'test' }),
    });
    running = runWorkers(workers);
  });
  after(async () => {
    for (const worker of workers) worker.shutdown();
    await running;
    await Promise.all([native.close(), temporal.close()]);
  });

  return {
    script,
    test,
    temporal: () => temporal,
    address: () => address,
  };
}
