import { type Actor, audit } from '../platform/db/audit.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { only } from '../platform/db/rows.ts';

/** Whether a batch of the account is started by a key of another holder than made it. */
export async function needsAnother(db: Queryable, accountId: string): Promise<boolean> {
  const { rows } = await db.query('SELECT batches_need_another FROM accounts WHERE id = $1', [accountId]);
  return only(rows).batches_need_another;
}

/** By two operators. Audited. */
export async function setNeedsAnother(
  db: Queryable,
  change: { accountId: string; needed: boolean; actor: Actor; proposalId: string },
): Promise<void> {
  const { accountId, needed, actor, proposalId } = change;
  await db.query('UPDATE accounts SET batches_need_another = $2 WHERE id = $1', [accountId, needed]);
  const detail = { need_another: needed, proposal: proposalId };
  await audit(db, { actor, action: 'accounts.batches', subject: accountId, detail });
}
