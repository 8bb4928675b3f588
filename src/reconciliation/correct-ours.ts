import { BrokenInvariant } from '../domain/errors.ts';
import { minor } from '../domain/money.ts';
import type { ProvenAccount } from '../ledger/accounts.ts';
import { postUnmoved } from '../ledger/line-decisions.ts';
import type { Queryable } from '../platform/db/pool.ts';
import type { Proven } from './groups.ts';

/**
 * A movement of ours that they never made leaves their account again (`postUnmoved`), and the correction is of the same
 * statement account, so that both make up for each other there. False where it was corrected before. The caller holds the
 * accounts' locks.
 */
export async function correctOurs(
  db: Queryable,
  { entry, group, agreed }: { entry: number; group: Proven; agreed: { proposalId: string; note: string } },
): Promise<boolean> {
  const { rows } = await db.query(
    `SELECT m.amount, m.currency, m.book, m.account, m.connection, m.transaction_id, coalesce(m.receipts[1], m.ours[1], t.reference, t.dedupe_key) AS name
     FROM movements m JOIN transfers t ON t.id = m.transfer_id WHERE m.entry_id = $1 /* never null: amount, currency, book, name */`,
    [entry],
  );
  const [row] = rows;
  const [first] = group;
  if (!row || !first) throw new BrokenInvariant(`there is no movement ${entry}`);
  const [kind, channel = ''] = row.book.split(':');
  const account: ProvenAccount = kind === 'clearing' ? { kind, channel } : { kind: 'settlement' };
  const posted = await postUnmoved(
    db,
    {
      entry,
      account,
      amount: minor(-row.amount),
      currency: row.currency,
      connection: row.connection ?? first.connections?.[0] ?? first.id,
      name: row.name,
      transactionId: row.transaction_id,
    },
    agreed,
  );
  if (!posted) return false;
  await db.query(
    `INSERT INTO entry_accounts (entry_id, account, at) SELECT e.id, $2, now() FROM transfers t JOIN entries e ON e.transfer_id = t.id
     JOIN ledger_accounts a ON a.id = e.ledger_account_id WHERE t.dedupe_key = 'ours:' || $1::bigint AND a.kind IN ('clearing', 'settlement')`,
    [entry, row.account ?? first.id],
  );
  return true;
}
