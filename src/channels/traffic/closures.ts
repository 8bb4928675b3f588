import type { Service } from '../../domain/channel-health.ts';
import { type Actor, audit } from '../../platform/db/audit.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { macOfRow, proves } from '../../platform/db/proofs.ts';
import { DEFAULT, insertMany, update } from '../../platform/db/write.ts';

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

/** Closes at once, audited, in the caller's transaction. Existing closures stay unchanged. */
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
      mac: null,
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

/** Opens again, audited, in the caller's transaction. Returns the ended closures, with their start. */
export async function open(
  db: Queryable,
  {
    channel,
    services,
    actor,
    proposalId,
  }: Pick<Closing, 'channel' | 'services' | 'actor'> & { proposalId: string },
): Promise<Pick<Closure, 'service' | 'closedAt'>[]> {
  const { rows: opened } = await db.query(
    `SELECT service, closed_at AS "closedAt" FROM closures
     WHERE channel IS NOT DISTINCT FROM $1 AND service = ANY($2) AND opened_by IS NULL FOR UPDATE`,
    [channel, services],
  );
  for (const { service, closedAt: closed_at } of opened) {
    const mac = macOfRow(db, 'closures', { opened_by: proposalId, channel, service, closed_at });
    await update(db, 'closures', { opened_by: proposalId, mac }, { channel, service, closed_at });
  }
  const detail = { services: opened.map(({ service }) => service), proposal: proposalId };
  await audit(db, { actor, action: 'channels.open', subject: channel ?? 'all', detail });
  return opened as Pick<Closure, 'service' | 'closedAt'>[];
}

/** Returns closures in force. A closure whose end has no valid proof stays in force. */
export async function closedNow(db: Queryable): Promise<Pick<Closure, 'channel' | 'service'>[]> {
  const { rows } = await db.query(
    `SELECT DISTINCT ON (channel, service) channel, service, closed_at, opened_by, mac FROM closures
     ORDER BY channel, service, opened_by IS NULL DESC, closed_at DESC`,
  );
  const closed: typeof rows = [];
  for (const row of rows)
    if (row.opened_by === null || !(await proves(db, 'closures', row))) closed.push(row);
  return closed as Pick<Closure, 'channel' | 'service'>[];
}

export async function listClosures(db: Queryable): Promise<Closure[]> {
  const { rows } = await db.query(
    `SELECT channel, service, closed_by, reason, closed_at FROM closures WHERE opened_by IS NULL
     ORDER BY closed_at, channel, service`,
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
