import { isBilled, type MerchantTransaction, type Transaction } from '../../domain/transaction.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { ORDER_MODES, transactionColumns } from './columns.ts';
import { toMerchantTransaction, toTransaction } from './read-transaction.ts';

/** Returns null if the id is unknown or another account's. */
export async function findTransaction(
  db: Queryable,
  where: { id: string; accountId: string },
): Promise<MerchantTransaction | null> {
  const { rows } = await db.query(
    prepared(`SELECT ${transactionColumns} FROM transactions t WHERE t.id = $1 AND t.account_id = $2`),
    [where.id, where.accountId],
  );
  return rows[0] ? toMerchantTransaction(rows[0]) : null;
}

/** Reads a transaction of any account. */
export async function getTransaction(db: Queryable, id: string): Promise<Transaction | null> {
  const { rows } = await db.query(
    prepared(`SELECT ${transactionColumns} FROM transactions t WHERE t.id = $1`),
    [id],
  );
  return rows[0] ? toTransaction(rows[0]) : null;
}

/** Takes the row lock that every change takes first. Only inside a transaction. */
export async function lockTransaction(db: Queryable, id: string): Promise<Transaction | null> {
  const { rows } = await db.query(
    prepared(`SELECT ${transactionColumns} FROM transactions t WHERE t.id = $1 FOR NO KEY UPDATE OF t`),
    [id],
  );
  if (!rows[0]) return null;
  const transaction = toTransaction(rows[0]);
  // The lock covers `transactions` only, so the bill is read again after the wait.
  return isBilled(transaction) ? getTransaction(db, id) : transaction;
}

/** Locks pending transactions of these amounts (minor units), and those with these ids, pending or final. */
export async function lockPending(
  db: Queryable,
  of: { amounts: readonly number[]; ids: readonly string[] },
): Promise<void> {
  await db.query(
    `SELECT FROM transactions WHERE id = ANY(ARRAY(
       SELECT id FROM transactions
       WHERE status = 'pending' AND mode NOT IN (${ORDER_MODES}) AND amount = ANY($1::bigint[])
       UNION SELECT unnest($2::uuid[]))) ORDER BY id FOR NO KEY UPDATE`,
    [of.amounts, of.ids],
  );
}
