import type { Clock } from '../../platform/db/clock.ts';
import type { Metrics } from '../../platform/process/metrics.ts';

export function watchFence(metrics: Pick<Metrics, 'watch'>, isClosed: () => Promise<boolean>): void {
  metrics.watch({
    name: 'fence_closed',
    help:
      '1 while Postgres lacks what Temporal knows: ' +
      'nothing is accepted, sent or decided until recover has run',
    read: async () => Number(await isClosed()),
  });
}

export function watchClock(metrics: Pick<Metrics, 'watch'>, clock: Pick<Clock, 'offsetSeconds'>): void {
  metrics.watch({
    name: 'clock_ahead_seconds',
    help: "Seconds by which this machine's clock is ahead of the clock of Postgres, which counts",
    read: async () => clock.offsetSeconds(),
  });
}

/** The label says which port got the wrong credential; networks use the merchants' port. */
export const failedAuthentications = {
  name: 'failed_authentications_total',
  help: 'Requests with a wrong key, token, password or signature, by port',
  label: 'port',
  values: ['merchants', 'management'],
} as const;
