import type { Client } from '@temporalio/client';
import type { Config } from '../../config/config.ts';
import { channelIds } from '../../domain/network.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Database } from '../../platform/db/pool.ts';
import { migrationsMissing, type SchemaGate } from '../../platform/db/schema-gate.ts';
import type { Metrics } from '../../platform/process/metrics.ts';
import { controlNumbersLeft } from '../../transactions/acceptance/control-numbers.ts';
import { observeEndings } from '../../transactions/ending/announce-end.ts';
import { watchClock, watchFence } from './guards.ts';
import { watchPools } from './pools.ts';
import { watchQueues } from './queues.ts';
import { watchReconciliation } from './reconciliation.ts';
import { watchState } from './state.ts';
import { watchTraffic } from './traffic.ts';

type Traffic = Parameters<typeof watchTraffic>[1];

export function watchApi(
  config: Pick<Config, 'BILL_CONTROL_NUMBER_PREFIX'>,
  parts: {
    metrics: Metrics;
    database: Database;
    longDatabase: Database;
    client: Client;
    clock: Clock;
    schema: SchemaGate;
    isFenced: () => Promise<boolean>;
    gate: { states: Traffic['channelStates'] };
    admission: { state: Traffic['admission'] };
    channels: Pick<Parameters<typeof watchReconciliation>[1], 'statementAccounts' | 'connectionsOf'>;
    log: Parameters<typeof watchState>[1]['log'];
  },
): void {
  const { metrics, database, longDatabase, gate, admission } = parts;
  const watched = { ...parts, channels: channelIds };
  watchClock(metrics, parts.clock);
  watchFence(metrics, parts.isFenced);
  watchTraffic(metrics, { ...watched, channelStates: gate.states, admission: admission.state });
  metrics.watch({
    name: 'control_numbers_left',
    help: 'Control numbers that are still free',
    read: () => controlNumbersLeft(database, config.BILL_CONTROL_NUMBER_PREFIX),
  });
  watchState(metrics, watched);
  watchReconciliation(metrics, { ...parts, ...parts.channels });
  watchQueues(metrics, watched);
  observeEndings(metrics.countEnding);
  metrics.watch(migrationsMissing(parts.schema));
  watchPools(metrics, { main: database, ledger: longDatabase });
}
