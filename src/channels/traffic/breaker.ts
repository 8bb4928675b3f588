import { type HealthRules, stateOf } from '../../domain/channel-health.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { recentResults, type ServiceOfChannel } from './results.ts';

/** All processes share one row per breaker, which is written only when the channel fails or recovers. */

/** Returns the services newly found to be down. */
export async function trip(
  db: Queryable,
  changed: readonly ServiceOfChannel[],
  rules: HealthRules,
): Promise<ServiceOfChannel[]> {
  const found: ServiceOfChannel[] = [];
  for (const { channel, service, results } of await recentResults(db, rules.windowMs)) {
    const isChanged = changed.some((one) => one.channel === channel && one.service === service);
    if (!isChanged || stateOf(results, rules) !== 'down') continue;
    const { rowCount } = await db.query(
      `INSERT INTO channel_breakers (channel, service, down_since, probe_at)
       VALUES ($1, $2, now(), now() + $3 * interval '1 millisecond')
       ON CONFLICT (channel, service) DO UPDATE
         SET down_since = now(), probe_of = NULL,
           -- If it fails again within an hour, it goes on with the waiting time that it had reached.
           probes = CASE WHEN channel_breakers.recovered_at > now() - interval '1 hour'
             THEN channel_breakers.probes ELSE 0 END,
           probe_at = now() + interval '1 millisecond' *
           CASE WHEN channel_breakers.recovered_at > now() - interval '1 hour'
             THEN least($4, $3 * power(2, least(channel_breakers.probes, 30))) ELSE $3 END
         WHERE channel_breakers.down_since IS NULL`,
      [channel, service, rules.probeFirstMs, rules.probeLastMs],
    );
    if (rowCount === 1) found.push({ channel, service });
  }
  return found;
}

/** Returns true if this transaction gets the next probe, or already has it. */
export async function takeProbe(
  db: Queryable,
  { channel, service }: ServiceOfChannel,
  transactionId: string,
  rules: HealthRules,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE channel_breakers SET probe_of = $3,
       probes = CASE WHEN probe_at <= now() THEN probes + 1 ELSE probes END,
       -- The next one after twice as long.
       probe_at = CASE WHEN probe_at <= now()
         THEN now() + least($5, $4 * power(2, least(probes + 1, 30))) * interval '1 millisecond'
         ELSE probe_at END
     WHERE channel = $1 AND service = $2 AND down_since IS NOT NULL AND (probe_at <= now() OR probe_of = $3)`,
    [channel, service, transactionId, rules.probeFirstMs, rules.probeLastMs],
  );
  return rowCount === 1;
}

/** Returns true once per probe; then requests wait until the next probe is due. */
export async function useProbe(
  db: Queryable,
  { channel, service }: ServiceOfChannel,
  transactionId: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE channel_breakers SET probe_of = NULL
     WHERE channel = $1 AND service = $2 AND down_since IS NOT NULL AND probe_of = $3`,
    [channel, service, transactionId],
  );
  return rowCount === 1;
}

/** Returns true if the channel was down until now. */
export async function recover(db: Queryable, { channel, service }: ServiceOfChannel): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE channel_breakers SET down_since = NULL, recovered_at = now(), probe_of = NULL
     WHERE channel = $1 AND service = $2 AND down_since IS NOT NULL`,
    [channel, service],
  );
  return rowCount === 1;
}
