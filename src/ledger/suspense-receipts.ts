import { BrokenInvariant } from '../domain/errors.ts';
import type { Direction } from '../domain/kinds.ts';
import type { Minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { update } from '../platform/db/write.ts';
import type { SuspenseItem } from './suspense.ts';

/** True if an earlier report of the item differed. Without a readable amount, only words can be compared. */
export async function isToldOtherwise(
  db: Queryable,
  { space, receipt }: Pick<SuspenseItem, 'space' | 'receipt'>,
  words: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'SELECT FROM suspense_items WHERE space = $1 AND receipt = $2 AND NOT is_void AND strpos(detail, $3) = 0',
    [space, receipt, words],
  );
  return rowCount === 1;
}

type Receipt = { connection: string; receipt: string };
type NamedItem = Pick<SuspenseItem, 'id' | 'space' | 'transactionId'> & { isUnresolved: boolean };

/** Finds an item by its movement's first name, or by a later one. */
export async function itemOfReceipt(
  db: Queryable,
  { connection, receipt }: Receipt,
): Promise<NamedItem | null> {
  const { rows } = await db.query(
    `SELECT id, space, transaction_id AS "transactionId", is_unresolved(id) AS "isUnresolved"
     FROM suspense_items
     WHERE id IN (SELECT items_called(receipt_space($1), $2)) ORDER BY receipt = $2 DESC LIMIT 1`,
    [connection, receipt],
  );
  return (rows[0] as NamedItem | undefined) ?? null;
}

/**
 * Records once whose money an item is. A line that names nobody makes an item of nobody. If the channel names
 * its transaction later, that transaction's refunds and twins must count the money.
 */
export async function assignItem(db: Queryable, item: string, transactionId: string): Promise<void> {
  await update(db, 'suspense_items', { transaction_id: transactionId }, { id: item, transaction_id: null });
}

/** Finds what has the money of an unreadable item already, because it was told again, or for another. */
export async function bookedBeside(
  db: Queryable,
  { space, receipt }: Pick<SuspenseItem, 'space' | 'receipt'>,
  money: Pick<SuspenseItem, 'amount' | 'currency'>,
): Promise<string | null> {
  const { rows } = await db.query(
    `SELECT coalesce(i.id, m.transaction_id::text, m.id::text) AS of
     FROM movement_names n JOIN movements m ON m.id = n.movement_id
     LEFT JOIN entries e ON e.movement_id = m.id AND NOT e.takes_back
     LEFT JOIN suspense_items i ON i.transfer_id = e.transfer_id
     WHERE n.space = $1 AND n.plain = plain_name($2) AND n.freed_at IS NULL
       AND m.amount = $3 AND m.currency = $4 LIMIT 1 /* never null: of */`,
    [space, receipt, money.amount, money.currency],
  );
  return rows[0]?.of ?? null;
}

/** Makes the caller's transaction run again, because the name or item was taken meanwhile. */
export async function refuseTaken(db: Queryable, receipt: string): Promise<never> {
  await db.query('SELECT refuse_taken_receipt($1)', [receipt]);
  throw new BrokenInvariant(`the receipt ${receipt} is taken, and is not`);
}

/** Locks the item that a report without a receipt may mean. `isOfLine`: a statement showed it first. */
export async function itemLike(
  db: Queryable,
  { transactionId, direction, amount, currency }: Alike,
): Promise<{ id: string; isOfLine: boolean } | null> {
  const { rows } = await db.query(
    `SELECT id, EXISTS (SELECT FROM transfers t
       WHERE t.id = transfer_id AND t.line_id IS NOT NULL) AS "isOfLine"
     FROM suspense_items WHERE transaction_id = $1 AND amount = $2 AND currency = $3 AND NOT is_void
     LIMIT 1 FOR NO KEY UPDATE /* never null: isOfLine */`,
    [transactionId, direction === 'collection' ? amount : -amount, currency],
  );
  return rows[0] ?? null;
}

type Alike = { transactionId: string; direction: Direction; amount: Minor; currency: string };
