import { NativeConnection } from '@temporalio/worker';
import {
  connectionOptions,
  createTemporalClient,
  dataConverterOf,
  type TemporalClient,
} from '../../src/platform/temporal/connect.ts';
import { registerSearchAttributes } from '../../src/platform/temporal/search-attributes.ts';
import { useTestDatabase } from '../support/database.ts';
import { type Flows, startFlows } from '../support/flows.ts';
import { keyOf, ringOf } from '../support/key-rings.ts';
import { createScriptedChannel } from '../support/scripted-channel.ts';
import { startTemporalDevServer } from '../support/temporal.ts';

/** A real server, client and workers with payload keys: what the SDK tells a codec, and when, is seen here only. */
export function useEncryptedWorkers() {
  const test = useTestDatabase({ poolMax: 10 });
  let temporal: TemporalClient;
  let native: NativeConnection;
  let address: string;
  let flows: Flows;
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
    const { client, connection } = temporal;
    flows = await startFlows(
      { client, connection, nativeConnection: native, namespace: 'default', supportsTimeSkipping: false },
      { database: test.database, script, workers: { dataConverter: dataConverterOf(settings) } },
    );
  });
  after(async () => {
    await flows.stop();
    await Promise.all([native.close(), temporal.close()]);
  });

  return { script, test, temporal: () => temporal, address: () => address };
}
