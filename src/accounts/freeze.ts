import { type Actor, audit } from '../db/audit.ts';
import type { Queryable } from '../db/pool.ts';
import { GatewayError } from '../domain/errors.ts';
import type { LimitSubject } from './limits.ts';

/** What a merchant's request meets that is frozen: all of its account, or the API key that it was sent with. */
export type Frozen = 'account' | 'key';

const sentences: Record<Frozen, string> = {
  account: 'This account is frozen: nothing new is accepted until that is lifted. Nothing was done',
  key: 'This API key is frozen: nothing new is accepted with it until that is lifted. Nothing was done',
};

/** `forbidden`, which leaves the Idempotency-Key free: the same request works once the freeze is lifted. */
export function frozenError(frozen: Frozen): GatewayError {
  return new GatewayError('forbidden', sentences[frozen]);
}

/** SQL: what of an account `a` and its key `k` is frozen, as a Frozen or null. */
export const FROZEN = `CASE WHEN a.frozen_at IS NOT NULL THEN 'account' WHEN k.frozen_at IS NOT NULL THEN 'key' END`;

type Change = { subject: LimitSubject; actor: Actor; detail: object };

/** At once, by one person; what was accepted before goes on. Audited. False when it was frozen already. */
export function freeze(db: Queryable, { subject, actor, detail }: Change): Promise<boolean> {
  return setFrozen(db, { subject, actor, detail, action: 'accounts.freeze' }, 'frozen_at IS NULL', 'now()');
}

/** By two operators. Audited. False when it was not frozen. */
export function unfreeze(db: Queryable, { subject, actor, detail }: Change): Promise<boolean> {
  return setFrozen(
    db,
    { subject, actor, detail, action: 'accounts.unfreeze' },
    'frozen_at IS NOT NULL',
    'NULL',
  );
}

export async function isFrozen(db: Queryable, subject: LimitSubject): Promise<boolean> {
  const [table, id] = rowOf(subject);
  const { rows } = await db.query(`SELECT frozen_at FROM ${table} WHERE id = $1`, [id]);
  return rows[0]?.frozen_at != null;
}

async function setFrozen(
  db: Queryable,
  change: Change & { action: string },
  condition: string,
  value: string,
): Promise<boolean> {
  const { subject, actor, action } = change;
  const [table, id] = rowOf(subject);
  const { rowCount } = await db.query(
    `UPDATE ${table} SET frozen_at = ${value} WHERE id = $1 AND ${condition}`,
    [id],
  );
  if (rowCount === 0) return false;
  const detail = { ...(subject.apiKeyId === null ? {} : { key: subject.apiKeyId }), ...change.detail };
  await audit(db, { actor, action, subject: subject.accountId, detail });
  return true;
}

function rowOf({ accountId, apiKeyId }: LimitSubject): ['accounts' | 'api_keys', string] {
  return apiKeyId === null ? ['accounts', accountId] : ['api_keys', apiKeyId];
}
