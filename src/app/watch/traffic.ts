import { type ChannelState, type Service, services } from '../../domain/channel-health.ts';
import type { Metrics } from '../../platform/process/metrics.ts';

type States = { of(channel: string, service: Service): ChannelState };

const values: Record<ChannelState, number> = { up: 1, degraded: 0.5, down: 0 };

export function watchTraffic(
  metrics: Pick<Metrics, 'watch' | 'watchAll'>,
  traffic: {
    channels: readonly string[];
    channelStates: () => Promise<States>;
    admission: () => { limit: number; inFlight: number; waiting: number; refused: number };
  },
): void {
  metrics.watchAll(traffic.channelStates, [
    {
      name: 'channel_up',
      help: 'Whether payments and payouts of a channel work: 1 up, 0.5 degraded, 0 down or closed',
      labelNames: ['channel', 'service'],
      samples: (states) =>
        traffic.channels.flatMap((channel) =>
          services.map((service) => ({
            labels: { channel, service },
            value: values[states.of(channel, service)],
          })),
        ),
    },
  ]);
  metrics.watchAll(
    async () => traffic.admission(),
    [
      {
        name: 'submissions_in_flight',
        help: 'Submissions that wait for their answer',
        samples: ({ inFlight }) => [{ value: inFlight }],
      },
      {
        name: 'submissions_limit',
        help:
          'Submissions that may be in flight now; more wait in the queues of their accounts, ' +
          'or are refused as unavailable',
        samples: ({ limit }) => [{ value: limit }],
      },
      {
        name: 'submissions_waiting',
        help: 'Submissions that wait in the queues of their accounts, up to 4 s',
        samples: ({ waiting }) => [{ value: waiting }],
      },
      {
        name: 'submissions_refused',
        help: 'Submissions refused since the process began, because there was no place for them',
        samples: ({ refused }) => [{ value: refused }],
      },
    ],
  );
}
