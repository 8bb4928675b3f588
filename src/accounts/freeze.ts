import { GatewayError } from '../domain/errors.ts';
import { say } from '../domain/messages.ts';
import { type Actor, audit } from '../platform/db/audit.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { prepared } from '../platform/db/prepared.ts';
import { macOfRow, proves } from '../platform/db/proofs.ts';
import { only } from '../platform/db/rows.ts';
import { DEFAULT, insert, NOW, update } from '../platform/db/write.ts';
import type { LimitSubject } from './limits.ts';

export type Frozen = 'account' | 'key';

/** The code `forbidden` leaves the Idempotency-Key free: the same request works once the freeze is lifted. */
export function frozenError(frozen: Frozen): GatewayError {
  return new GatewayError('forbidden', say(`${frozen}_frozen`));
}

/** SQL: what is frozen for an API key `k`, as a Frozen or null. */
export const FROZEN = `CASE
  WHEN EXISTS (SELECT FROM frozen_accounts f WHERE f.account_id = k.account_id AND f.lifted_by IS NULL) THEN 'account'
  WHEN k.frozen_at IS NOT NULL THEN 'key' END`;

/** SQL: how the newest freeze of the account of an API key `k` was lifted, for `frozenOf`. */
export const LIFT = `(SELECT json_build_object('account_id', f.account_id, 'frozen_at', f.frozen_at,
    'lifted_by', f.lifted_by, 'mac', f.mac)
  FROM frozen_accounts f WHERE f.account_id = k.account_id ORDER BY f.frozen_at DESC LIMIT 1)`;

/**
 * In Postgres a proposal's state lifts a freeze, and a password alone can write that. So this checks the MAC:
 * without one the account stays frozen until two operators lift a new freeze.
 */
export async function frozenOf(
  db: Queryable,
  { frozen, lift }: { frozen: string | null; lift: unknown },
): Promise<Frozen | null> {
  const isLifted = frozen !== 'account' && lift !== null;
  return isLifted && !(await proves(db, 'frozen_accounts', lift as Lift))
    ? 'account'
    : (frozen as Frozen | null);
}

export async function isFrozen(db: Queryable, apiKeyId: string): Promise<boolean> {
  const { rows } = await db.query(
    prepared(`SELECT ${FROZEN} AS frozen, ${LIFT} AS lift FROM api_keys k WHERE k.id = $1`),
    [apiKeyId],
  );
  return (await frozenOf(db, only(rows))) !== null;
}

type Lift = Parameters<typeof proves<'frozen_accounts'>>[2];
type Subject = LimitSubject & { actor: Actor };

/** One person freezes at once; accepted transactions go on. Audited. False if it was frozen before. */
export async function freeze(db: Queryable, asked: Subject & { reason: string }): Promise<boolean> {
  const { accountId, apiKeyId, actor, reason } = asked;
  // A starting batch holds its keys: it starts before the freeze, or not at all.
  if (apiKeyId === null)
    await db.query('SELECT FROM api_keys WHERE account_id = $1 ORDER BY id FOR NO KEY UPDATE', [accountId]);
  const { rowCount } =
    apiKeyId === null
      ? await insert(
          db,
          'frozen_accounts',
          {
            account_id: accountId,
            frozen_by: typeof actor === 'string' ? actor : actor.operator,
            reason,
            frozen_at: DEFAULT,
            lifted_by: null,
            mac: null,
          },
          { onConflict: 'DO NOTHING' },
        )
      : await update(db, 'api_keys', { frozen_at: NOW }, { id: apiKeyId, frozen_at: null });
  if (rowCount === 1) await note(db, 'accounts.freeze', asked, { reason });
  return rowCount === 1;
}

/** Two operators agreed to lift this freeze and no later one. Audited. False if this freeze is gone. */
export async function unfreeze(
  db: Queryable,
  asked: Subject & { frozenAt: string; proposalId: string },
): Promise<boolean> {
  const { accountId, apiKeyId, frozenAt, proposalId } = asked;
  const { rowCount } =
    apiKeyId === null
      ? await update(
          db,
          'frozen_accounts',
          {
            lifted_by: proposalId,
            mac: macOfRow(db, 'frozen_accounts', {
              account_id: accountId,
              frozen_at: frozenAt,
              lifted_by: proposalId,
            }),
          },
          { account_id: accountId, frozen_at: frozenAt, lifted_by: null },
        )
      : await update(db, 'api_keys', { frozen_at: null }, { id: apiKeyId, frozen_at: frozenAt });
  if (rowCount === 1) await note(db, 'accounts.unfreeze', asked, { proposal: proposalId });
  return rowCount === 1;
}

/** Returns since when the account, or the given key, is frozen (ISO 8601 UTC), or null. */
export async function frozenSince(
  db: Queryable,
  { accountId, apiKeyId }: LimitSubject,
): Promise<string | null> {
  const { rows } =
    apiKeyId === null
      ? await db.query('SELECT frozen_at FROM frozen_accounts WHERE account_id = $1 AND lifted_by IS NULL', [
          accountId,
        ])
      : await db.query('SELECT frozen_at FROM api_keys WHERE id = $1', [apiKeyId]);
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
