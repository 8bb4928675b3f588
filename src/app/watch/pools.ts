import type { Database } from '../../platform/db/pool.ts';
import type { Metrics } from '../../platform/process/metrics.ts';

export function watchPools(metrics: Metrics, pools: Record<string, Database>): void {
  const every = async () => Object.entries(pools);
  metrics.watchAll(every, [
    {
      name: 'postgres_pool_connections',
      help: 'Connections of this process to Postgres, by pool: in use or idle',
      labelNames: ['pool', 'state'],
      samples: (all) =>
        all.flatMap(([pool, { totalCount, idleCount }]) => [
          { labels: { pool, state: 'used' }, value: totalCount - idleCount },
          { labels: { pool, state: 'idle' }, value: idleCount },
        ]),
    },
    {
      name: 'postgres_pool_connections_max',
      help: 'Maximum number of connections of a pool',
      labelNames: ['pool'],
      samples: (all) => all.map(([pool, { options }]) => ({ labels: { pool }, value: options.max ?? 0 })),
    },
    {
      name: 'postgres_pool_waiting',
      help: 'Steps that wait for a connection of a pool',
      labelNames: ['pool'],
      samples: (all) =>
        all.map(([pool, { waitingCount, idleCount, totalCount, options }]) => ({
          labels: { pool },
          // A pool with room opens a connection at once, so nothing waits there (metrics read several at a
          // time).
          value: totalCount < (options.max ?? 0) ? 0 : Math.max(0, waitingCount - idleCount),
        })),
    },
  ]);
}
