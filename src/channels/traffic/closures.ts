import type { Service } from '../../domain/channel-health.ts';
import { type Actor, audit } from '../../platform/db/audit.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { DEFAULT, insertMany } from '../../platform/db/write.ts';

/** A null `channel` closes every channel. */
export type Closure = {
  channel: string | null;
  service: Service;
  closedBy: string;
  reason: string;
  closedAt: string;
};

export type Closing = {
  channel: string | null;
  services: readonly Service[];
  reason: string;
  actor: Actor;
};

/** Closes at once, audited, in the caller's transaction; existing closures stay unchanged. */
export async function close(db: Queryable, { channel, services, reason, actor }: Closing): Promise<void> {
  await insertMany(
    db,
    'closures',
    services,
    (service) => ({
      channel,
      service,
      closed_by: personOf(actor),
      reason,
      closed_at: DEFAULT,
      opened_by: null,
    }),
    { onConflict: 'DO NOTHING' },
  );
  await audit(db, {
    actor,
    action: 'channels.close',
    subject: channel ?? 'all',
    detail: { services, reason },
  });
}

/** Opens again, audited, in the caller's transaction. Returns what was closed, and since when. */
export async function open(
  db: Queryable,
  {
    channel,
    services,
    actor,
    proposalId,
  }: Pick<Closing, 'channel' | 'services' | 'actor'> & { proposalId: string },
): Promise<Pick<Closure, 'service' | 'closedAt'>[]> {
  const { rows } = await db.query(
    `UPDATE closures SET opened_by = $3 WHERE channel IS NOT DISTINCT FROM $1 AND service = ANY($2) AND opened_by IS NULL
     RETURNING service, closed_at AS "closedAt"`,
    [channel, services, proposalId],
  );
  const opened = rows as Pick<Closure, 'service' | 'closedAt'>[];
  const detail = { services: opened.map(({ service }) => service), proposal: proposalId };
  await audit(db, { actor, action: 'channels.open', subject: channel ?? 'all', detail });
  return opened;
}

export async function listClosures(db: Queryable): Promise<Closure[]> {
  const { rows } = await db.query(
    'SELECT channel, service, closed_by, reason, closed_at FROM closures WHERE opened_by IS NULL ORDER BY closed_at, channel, service',
  );
  return rows.map((row) => ({
    channel: row.channel,
    service: row.service,
    closedBy: row.closed_by,
    reason: row.reason,
    closedAt: row.closed_at,
  }));
}

function personOf(actor: Actor): string {
  return typeof actor === 'string' ? actor : actor.operator;
}
