import { BrokenInvariant } from '../domain/errors.ts';
import { minor } from '../domain/money.ts';
import { provenAccountOf } from '../ledger/accounts.ts';
import { postUnmoved } from '../ledger/line-decisions.ts';
import type { Queryable } from '../platform/db/pool.ts';
import type { Proven } from './groups.ts';

/**
 * Reverses a movement that the network or bank never made (`postUnmoved`), in the same statement account, so
 * both offset each other there. False if done before. The caller holds the accounts' locks.
 */
export async function correctOurs(
  db: Queryable,
  { entry, group, agreed }: { entry: number; group: Proven; agreed: { proposalId: string; note: string } },
): Promise<boolean> {
  const { rows } = await db.query(
    `SELECT m.amount, m.currency, m.book, m.connection, m.transaction_id,
       coalesce(m.receipts[1], CASE WHEN m.transaction_id IS NOT NULL THEN m.ours[1] END, t.reference,
         'line:' || t.line_id) AS name
     FROM movement_entries m JOIN transfers t ON t.id = m.transfer_id
     WHERE m.entry_id = $1 /* never null: amount, currency, book, name */`,
    [entry],
  );
  const [row] = rows;
  const [first] = group;
  if (!row || !first) throw new BrokenInvariant(`there is no movement ${entry}`);
  await lockTransactionsOf(db, entry, row.transaction_id);
  return postUnmoved(
    db,
    {
      entry,
      account: provenAccountOf(row.book),
      amount: minor(-row.amount),
      currency: row.currency,
      connection: row.connection ?? first.connections?.[0] ?? first.id,
      name: row.name,
      transactionId: row.transaction_id,
    },
    agreed,
  );
}

/** Locks the transactions that an entry pays, so reports about them wait for the caller's transaction. */
async function lockTransactionsOf(db: Queryable, entry: number, its: string | null): Promise<void> {
  await db.query(
    `SELECT FROM transactions WHERE id IN (
       SELECT m.transaction_id FROM entries e JOIN movements m ON m.id = e.movement_id WHERE e.id = $1
       UNION SELECT b.prompt_id FROM entries e JOIN movements m ON m.id = e.movement_id
         JOIN bill_receipts b ON b.transaction_id = m.transaction_id AND b.number = m.part WHERE e.id = $1
       UNION SELECT $2::uuid)
     ORDER BY id FOR NO KEY UPDATE`,
    [entry, its],
  );
}
