import type { Clock } from '../../platform/db/clock.ts';
import type { Metrics } from '../../platform/process/metrics.ts';

export function watchFence(metrics: Pick<Metrics, 'watch'>, isClosed: () => Promise<boolean>): void {
  metrics.watch({
    name: 'fence_closed',
    help:
      '1 while Postgres is behind what Temporal knows: ' +
      'nothing is taken, sent or decided until recover has run',
    read: async () => Number(await isClosed()),
  });
}

export function watchClock(metrics: Pick<Metrics, 'watch'>, clock: Pick<Clock, 'offsetSeconds'>): void {
  metrics.watch({
    name: 'clock_ahead_seconds',
    help: "How far this machine's clock is ahead of Postgres's, whose time counts",
    read: async () => clock.offsetSeconds(),
  });
}

/** The label says which port got the wrong credential; networks use the merchants' port. */
export const failedAuthentications = {
  name: 'failed_authentications_total',
  help: 'Requests with a wrong key, token, password or signature, by the port at which they came',
  label: 'port',
  values: ['merchants', 'management'],
} as const;
