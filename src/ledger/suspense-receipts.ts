import type { Direction } from '../domain/kinds.ts';
import type { Minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { prepared } from '../platform/db/prepared.ts';
import { addNames } from './booked.ts';
import type { SuspenseItem } from './suspense.ts';

/** Whether a receipt counts already as money that fits nothing, released since or not. */
export async function isInSuspense(db: Queryable, movement: Receipt): Promise<boolean> {
  return (await itemOfReceipt(db, movement)) !== null;
}

/** Whether an item was reported in other words. Of an amount that nobody can read there is nothing else to compare. */
export async function isToldOtherwise(
  db: Queryable,
  { space, receipt }: Pick<SuspenseItem, 'space' | 'receipt'>,
  words: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'SELECT FROM suspense_items WHERE space = $1 AND receipt = $2 AND strpos(detail, $3) = 0',
    [space, receipt, words],
  );
  return rowCount === 1;
}

/** In which part of its space a receipt is: Postgres has no room for a lock of each receipt of a large file. */
const PARTS = '255' as const;

/**
 * A payment at a door is credited, or a line of a statement is an item: never both of one receipt at once. Doors do not wait for
 * each other; an import (`lockReceipts`) waits for them, and they for it. Taken after the row of a push is locked, and before
 * that of a bill.
 */
export async function lockReceipt(db: Queryable, { connection, receipt }: Receipt): Promise<void> {
  await db.query(
    prepared(
      `SELECT pg_advisory_xact_lock_shared(hashtext('receipts of ' || receipt_space($1)), hashtext(plain_name($2)) & ${PARTS})` as const,
    ),
    [connection, receipt],
  );
}

type Receipts = { connection: string; receipts: readonly string[] };

function lockParts<const Kind extends string>(kind: Kind) {
  return `SELECT pg_advisory_xact_lock(hashtext('${kind} of ' || receipt_space($1)), part)
     FROM (SELECT DISTINCT hashtext(plain_name(receipt)) & ${PARTS} AS part FROM unnest($2::text[]) AS one (receipt) ORDER BY part) parts` as const;
}

/** Of the lines of a statement that are to be items. */
export async function lockReceipts(db: Queryable, { connection, receipts }: Receipts): Promise<void> {
  await db.query(lockParts('receipts'), [connection, receipts]);
}

/**
 * Names of items: two columns hold them, and no index says that a number is in one of them only. Whoever writes one holds this
 * until his transaction ends, and takes it after the rows of transactions.
 */
export async function lockNames(db: Queryable, { connection, receipts }: Receipts): Promise<void> {
  await db.query(lockParts('names'), [connection, receipts]);
}

/** Of items that are there. */
export async function lockReceiptsOf(
  db: Queryable,
  items: readonly Pick<SuspenseItem, 'space' | 'receipt'>[],
): Promise<void> {
  await db.query(
    `SELECT pg_advisory_xact_lock(hashtext('receipts of ' || space), part)
     FROM (SELECT DISTINCT space, hashtext(plain_name(receipt)) & ${PARTS} AS part FROM unnest($1::text[], $2::text[]) AS one (space, receipt)
       ORDER BY space, part) parts` as const,
    [items.map(({ space }) => space), items.map(({ receipt }) => receipt)],
  );
}

type Receipt = { connection: string; receipt: string };
/** `isUnsettled`: its money is in suspense, or on its way back to its payer. */
type NamedItem = Pick<SuspenseItem, 'id' | 'space' | 'knownAs' | 'transactionId'> & { isUnsettled: boolean };

/** The item of a movement, by either of its names. `knownAs`: the channel's, where it came with a later report. */
export async function itemOfReceipt(
  db: Queryable,
  { connection, receipt }: Receipt,
): Promise<NamedItem | null> {
  const { rows } = await db.query(
    `SELECT id, space, known_as AS "knownAs", transaction_id AS "transactionId", is_unsettled(id) AS "isUnsettled"
     FROM suspense_items WHERE space = receipt_space($1) AND $2 IN (receipt, known_as)`,
    [connection, receipt],
  );
  return (rows[0] as NamedItem | undefined) ?? null;
}

/**
 * The channel's receipt of a movement that is an item under a name of ours, because no report had named one: from now on
 * it counts under both. False where there is no such item, where it has another number, or where the receipt is counted
 * elsewhere. `isOurs`: another name of ours. Under the row lock of its transaction.
 */
export async function nameItem(
  db: Queryable,
  { connection, receipt, as, amount, currency, isOurs = false }: Receipt & Named,
): Promise<boolean> {
  await lockNames(db, { connection, receipts: [as] });
  const { rows } = await db.query(
    `UPDATE suspense_items i SET known_as = $3, named_in = NULL
     WHERE space = receipt_space($1) AND receipt = $2 AND abs(amount) = $4 AND currency = $5
       AND coalesce(known_as, $3) = $3
       AND NOT EXISTS (SELECT 1 FROM suspense_items other WHERE other.space = i.space
         AND (other.receipt = $3 OR other.known_as = $3 AND other.id <> i.id))
       AND NOT EXISTS (SELECT 1 FROM bill_receipts b WHERE b.space = i.space AND b.receipt = $3 AND b.outcome = 'accepted')
     RETURNING (SELECT e.movement_id FROM entries e WHERE e.transfer_id = i.transfer_id AND e.movement_id IS NOT NULL) AS movement`,
    [connection, receipt, as, amount, currency],
  );
  const [named] = rows;
  if (named?.movement && !isOurs) await addNames(db, [{ movement: named.movement, name: as, line: null }]);
  return named !== undefined;
}

type Named = { as: string; amount: Minor; currency: string; isOurs?: boolean };

/**
 * An item of a transaction of this size and direction: what a report without a receipt may mean. `isOfLine`: a statement showed
 * it first. It is locked until the report is noted (`postSuspense`).
 */
export async function itemLike(
  db: Queryable,
  { transactionId, direction, amount, currency }: Alike,
): Promise<{ id: string; isOfLine: boolean } | null> {
  const { rows } = await db.query(
    `SELECT id, EXISTS (SELECT FROM transfers t WHERE t.id = transfer_id AND t.dedupe_key LIKE 'line:%') AS "isOfLine"
     FROM suspense_items WHERE transaction_id = $1 AND amount = $2 AND currency = $3 AND right(receipt, length(id) + 6) <> '#void#' || id
     LIMIT 1 FOR NO KEY UPDATE /* never null: isOfLine */`,
    [transactionId, direction === 'collection' ? amount : -amount, currency],
  );
  return rows[0] ?? null;
}

type Alike = { transactionId: string; direction: Direction; amount: Minor; currency: string };
