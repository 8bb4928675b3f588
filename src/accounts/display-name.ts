import { type Actor, audit } from '../platform/db/audit.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { only } from '../platform/db/rows.ts';

/** Returns the name on the account's pages; by default the account's own. */
export async function displayNameOf(db: Queryable, accountId: string): Promise<string> {
  const { rows } = await db.query(
    'SELECT coalesce(display_name, name) AS name FROM accounts WHERE id = $1 /* never null: name */',
    [accountId],
  );
  return only(rows).name;
}

/** Two operators saw the name `before` and agreed. Audited. False if the name changed since. */
export async function setDisplayName(
  db: Queryable,
  change: { accountId: string; name: string; before: string; actor: Actor; proposalId: string },
): Promise<boolean> {
  const { accountId, name, before, actor, proposalId } = change;
  const { rowCount } = await db.query(
    'UPDATE accounts SET display_name = $2 WHERE id = $1 AND coalesce(display_name, name) = $3',
    [accountId, name, before],
  );
  if (rowCount !== 1) return false;
  const detail = { name, before, proposal: proposalId };
  await audit(db, { actor, action: 'accounts.display-name', subject: accountId, detail });
  return true;
}
