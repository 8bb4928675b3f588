import { stopCluster } from './database.ts';
import { stopSharedGateway } from './shared-gateway.ts';
import { stopSharedTemporal } from './temporal.ts';

/** Servers are started by the first test that needs them; whatever was started is stopped here, at the end of the run. */
export async function mochaGlobalTeardown(): Promise<void> {
  await Promise.all([stopCluster(), stopSharedTemporal(), stopSharedGateway()]);
}
