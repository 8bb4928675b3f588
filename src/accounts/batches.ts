import { type Message, say } from '../domain/messages.ts';
import { type Actor, audit } from '../platform/db/audit.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { proves } from '../platform/db/proofs.ts';
import { only } from '../platform/db/rows.ts';
import { update } from '../platform/db/write.ts';
import { FREEZES, type Frozen, frozenOf } from './freeze.ts';
import { PROVEN_KEY } from './keys.ts';

export async function needsAnother(db: Queryable, accountId: string): Promise<boolean> {
  const { rows } = await db.query('SELECT batches_need_another FROM accounts WHERE id = $1', [accountId]);
  return only(rows).batches_need_another;
}

/**
 * Returns why the key that made a batch, or the one that starts it, forbids the start. Locks both until the
 * caller's transaction ends, so a revocation or freeze (freeze.ts) comes before the start or after it.
 */
export async function refusalByKeys(
  db: Queryable,
  { accountId, maker, starter }: { accountId: string; maker: string; starter: string },
): Promise<Message | null> {
  await db.query('SELECT FROM api_keys WHERE id = ANY($1) ORDER BY id FOR SHARE', [[maker, starter]]);
  // A read after the locks sees what was committed while waiting.
  const { rows } = await db.query(
    `SELECT ${PROVEN_KEY}, ${FREEZES} AS freezes, k.revoked_at IS NOT NULL AS revoked,
       coalesce(k.expires_at <= now(), false) AS expired,
       'payouts:approve' = ANY(k.scopes) AS approves FROM api_keys k
     WHERE k.account_id = $1 AND k.id = ANY($2)
     /* never null: revoked, expired, approves */`,
    [accountId, [maker, starter]],
  );
  for (const [key, did] of [
    [maker, 'key_made_batch'],
    [starter, 'key_approved_batch'],
  ] as const) {
    const row = rows.find(({ id }) => id === key);
    const frozen = await frozenOf(db, row?.freezes);
    if (frozen === 'account') return say('batch_frozen');
    const became = becameOf(row && (await proves(db, 'api_keys', row)) ? row : undefined, frozen);
    if (became) return say('batch_key_refused', { key, did: say(did), became: say(became) });
    if (key === starter && !row?.approves)
      return say('batch_key_refused', {
        key,
        did: say('key_approved_batch'),
        became: say('key_approves_no_more'),
      });
  }
  return null;
}

type State = { revoked: boolean; expired: boolean };

function becameOf(
  row: State | undefined,
  frozen: Frozen | null,
): 'key_was_revoked' | 'key_has_expired' | 'key_is_frozen' | null {
  if (!row || row.revoked) return 'key_was_revoked';
  if (row.expired) return 'key_has_expired';
  return frozen && 'key_is_frozen';
}

/** Sets whether a batch needs a second person. Two operators have agreed. Audited. */
export async function setNeedsAnother(
  db: Queryable,
  change: { accountId: string; needed: boolean; actor: Actor; proposalId: string },
): Promise<void> {
  const { accountId, needed, actor, proposalId } = change;
  await update(db, 'accounts', { batches_need_another: needed }, { id: accountId });
  const detail = { need_another: needed, proposal: proposalId };
  await audit(db, { actor, action: 'accounts.batches', subject: accountId, detail });
}
