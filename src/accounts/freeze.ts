import { GatewayError } from '../domain/errors.ts';
import { say } from '../domain/messages.ts';
import { type Actor, audit } from '../platform/db/audit.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { prepared } from '../platform/db/prepared.ts';
import { macOfRow, proves } from '../platform/db/proofs.ts';
import { only } from '../platform/db/rows.ts';
import { DEFAULT, insert, update } from '../platform/db/write.ts';
import type { LimitSubject } from './limits.ts';

export type Frozen = 'account' | 'key';

/** The code `forbidden` leaves the Idempotency-Key free: the same request works once the freeze is lifted. */
export function frozenError(frozen: Frozen): GatewayError {
  return new GatewayError('forbidden', say(`${frozen}_frozen`));
}

/** SQL for `frozenOf`: the last freeze of the account of an API key `k`, then that of the key itself. */
export const FREEZES = `(SELECT json_agg(f) FROM (
    SELECT DISTINCT ON (api_key_id) account_id, api_key_id, frozen_at, lifted_by, mac FROM freezes
    WHERE account_id = k.account_id AND (api_key_id IS NULL OR api_key_id = k.id)
    ORDER BY api_key_id NULLS FIRST, lifted_by IS NULL DESC, frozen_at DESC) f)`;

/** SQL: since when an API key `k` is frozen by itself, or null. */
export const KEY_FROZEN_AT = `(SELECT f.frozen_at FROM freezes f
    WHERE f.account_id = k.account_id AND f.api_key_id = k.id AND f.lifted_by IS NULL)`;

/**
 * Anyone with a database password can write that a freeze was lifted, so this checks the MAC. Without a valid
 * one, the account or key stays frozen until two operators lift a new freeze.
 */
export async function frozenOf(db: Queryable, freezes: unknown): Promise<Frozen | null> {
  for (const one of (freezes ?? []) as Freeze[])
    if (one.lifted_by === null || !(await proves(db, 'freezes', one)))
      return one.api_key_id === null ? 'account' : 'key';
  return null;
}

export async function isFrozen(db: Queryable, apiKeyId: string): Promise<boolean> {
  const { rows } = await db.query(prepared(`SELECT ${FREEZES} AS freezes FROM api_keys k WHERE k.id = $1`), [
    apiKeyId,
  ]);
  return (await frozenOf(db, only(rows).freezes)) !== null;
}

type Freeze = Parameters<typeof proves<'freezes'>>[2];
type Subject = LimitSubject & { actor: Actor };

/** Freezes at once, by one person; accepted transactions go on. Audited. False if it was frozen before. */
export async function freeze(db: Queryable, asked: Subject & { reason: string }): Promise<boolean> {
  const { accountId, apiKeyId, actor, reason } = asked;
  // A starting batch locks its keys, so it starts before the freeze or not at all.
  await db.query(
    `SELECT FROM api_keys WHERE account_id = $1 AND ($2::text IS NULL OR id = $2)
     ORDER BY id FOR NO KEY UPDATE`,
    [accountId, apiKeyId],
  );
  const { rowCount } = await insert(
    db,
    'freezes',
    {
      account_id: accountId,
      api_key_id: apiKeyId,
      frozen_by: typeof actor === 'string' ? actor : actor.operator,
      reason,
      frozen_at: DEFAULT,
      lifted_by: null,
      mac: null,
    },
    { onConflict: 'DO NOTHING' },
  );
  if (rowCount === 1) await note(db, 'accounts.freeze', asked, { reason });
  return rowCount === 1;
}

/** Two operators agreed to lift this freeze and no later one. Audited. False if this freeze is gone. */
export async function unfreeze(
  db: Queryable,
  asked: Subject & { frozenAt: string; proposalId: string },
): Promise<boolean> {
  const { accountId, apiKeyId, frozenAt, proposalId } = asked;
  const lift = { account_id: accountId, api_key_id: apiKeyId, frozen_at: frozenAt, lifted_by: proposalId };
  const { rowCount } = await update(
    db,
    'freezes',
    { lifted_by: proposalId, mac: macOfRow(db, 'freezes', lift) },
    { account_id: accountId, api_key_id: apiKeyId, frozen_at: frozenAt, lifted_by: null },
  );
  if (rowCount === 1) await note(db, 'accounts.unfreeze', asked, { proposal: proposalId });
  return rowCount === 1;
}

/** Returns since when the account, or the given key, is frozen (ISO 8601 UTC), or null. */
export async function frozenSince(
  db: Queryable,
  { accountId, apiKeyId }: LimitSubject,
): Promise<string | null> {
  const { rows } = await db.query(
    `SELECT frozen_at FROM freezes
     WHERE account_id = $1 AND api_key_id IS NOT DISTINCT FROM $2 AND lifted_by IS NULL`,
    [accountId, apiKeyId],
  );
  return rows[0]?.frozen_at ?? null;
}

async function note(
  db: Queryable,
  action: string,
  { accountId, apiKeyId, actor }: Subject,
  about: object,
): Promise<void> {
  const detail = { ...(apiKeyId === null ? {} : { key: apiKeyId }), ...about };
  await audit(db, { actor, action, subject: accountId, detail });
}
