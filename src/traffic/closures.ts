import { type Actor, audit } from '../db/audit.ts';
import type { Queryable } from '../db/pool.ts';
import type { Service } from '../domain/channel-health.ts';

/** What operators closed. `channel` null: every channel. */
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

/** Closes at once, audited, in the caller's transaction; what is closed already stays as it is. */
export async function close(db: Queryable, { channel, services, reason, actor }: Closing): Promise<void> {
  await db.query(
    `INSERT INTO closures (channel, service, closed_by, reason)
     SELECT $1, service, $3, $4 FROM unnest($2::text[]) AS s (service) ON CONFLICT DO NOTHING`,
    [channel, services, personOf(actor), reason],
  );
  await audit(db, {
    actor,
    action: 'channels.close',
    subject: channel ?? 'all',
    detail: { services, reason },
  });
}

/** Opens again, audited, in the caller's transaction. Returns the services that were closed. */
export async function open(
  db: Queryable,
  {
    channel,
    services,
    actor,
    proposalId,
  }: Pick<Closing, 'channel' | 'services' | 'actor'> & { proposalId: string },
): Promise<Service[]> {
  const { rows } = await db.query(
    `DELETE FROM closures WHERE channel IS NOT DISTINCT FROM $1 AND service = ANY($2) RETURNING service`,
    [channel, services],
  );
  const opened = rows.map((row) => row.service);
  const detail = { services: opened, proposal: proposalId };
  await audit(db, { actor, action: 'channels.open', subject: channel ?? 'all', detail });
  return opened;
}

export async function listClosures(db: Queryable): Promise<Closure[]> {
  const { rows } = await db.query(
    'SELECT channel, service, closed_by, reason, closed_at FROM closures ORDER BY closed_at, channel, service',
  );
  return rows.map((row) => ({
    channel: row.channel,
    service: row.service,
    closedBy: row.closed_by,
    reason: row.reason,
    closedAt: row.closed_at,
  }));
}

export type Freeze = { accountId: string; frozenBy: string; reason: string; frozenAt: string };

/** Freezes an account at once, audited, in the caller's transaction. One that is frozen stays as it is. */
export async function freeze(
  db: Queryable,
  { accountId, reason, actor }: { accountId: string; reason: string; actor: Actor },
): Promise<Freeze> {
  await db.query(
    'INSERT INTO frozen_accounts (account_id, frozen_by, reason) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [accountId, personOf(actor), reason],
  );
  const { rows } = await db.query(
    'SELECT frozen_by, reason, frozen_at FROM frozen_accounts WHERE account_id = $1',
    [accountId],
  );
  await audit(db, { actor, action: 'accounts.freeze', subject: accountId, detail: { reason } });
  return { accountId, frozenBy: rows[0].frozen_by, reason: rows[0].reason, frozenAt: rows[0].frozen_at };
}

export async function isFrozen(db: Queryable, accountId: string): Promise<boolean> {
  const { rowCount } = await db.query('SELECT FROM frozen_accounts WHERE account_id = $1', [accountId]);
  return rowCount === 1;
}

/** Unfreezes it, audited, in the caller's transaction. False when it was not frozen. */
export async function unfreeze(
  db: Queryable,
  { accountId, actor, proposalId }: { accountId: string; actor: Actor; proposalId: string },
): Promise<boolean> {
  const { rowCount } = await db.query('DELETE FROM frozen_accounts WHERE account_id = $1', [accountId]);
  await audit(db, {
    actor,
    action: 'accounts.unfreeze',
    subject: accountId,
    detail: { proposal: proposalId },
  });
  return rowCount === 1;
}

/** As proposals name people. */
function personOf(actor: Actor): string {
  return typeof actor === 'string' ? actor : actor.operator;
}
