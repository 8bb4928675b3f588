import { randomUUID } from 'node:crypto';
import { BrokenInvariant } from '../domain/errors.ts';
import { type Minor, minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { update } from '../platform/db/write.ts';
import { type OwnAccount, provenAccountOf } from './accounts.ts';
import { addNames, isOpenFor, type Known, toldNames, unnamedItemOf } from './booked.ts';
import { refuseTaken } from './suspense-receipts.ts';
import { type Movement, postTransfers, type Transfer } from './transfer.ts';

/** Books a statement line against `charges`, another account of ours, or suspense. */
export type LinePosting = {
  transferId: string;
  kind: 'charge' | 'sweep' | 'suspense';
  dedupeKey: string;
  transactionId: string | null;
  reference: string | null;
  note: string;
  currency: string;
  /** code of the ledger account that the statement proves */
  book: string;
  /** the other side; for a sweep, the other ledger account's code and the account whose statement shows it */
  other: 'charges' | 'suspense' | { code: string; account: string };
  /** suspense item of the sweep's other half, if that is the other side */
  takes?: string | undefined;
  /** positive: incoming */
  amount: Minor;
  moved: Movement & { id: string; shown: NonNullable<Movement['shown']> };
};

/** Takes the items of sweeps' other halves out of suspense, before the postings. False if one has left. */
export function takeHalves(db: Queryable, postings: readonly LinePosting[]): Promise<boolean> {
  return leaveTogether(
    db,
    postings.flatMap(({ transferId: id, takes: item }) => (item === undefined ? [] : [{ id, item }])),
  );
}

/**
 * Posts a statement's lines, thousands of transfers in one SQL statement, none on a merchant's account.
 * Returns each movement's entry. Throws and posts nothing if one was posted before. Call it inside the
 * caller's transaction.
 */
export async function postLines(
  db: Queryable,
  postings: readonly LinePosting[],
): Promise<Map<string | null, number>> {
  const entries = await postTransfers(
    db,
    postings.map(({ transferId: id, book, other, takes, amount, moved, ...posting }) => ({
      ...posting,
      id,
      lineId: moved.shown.line,
      lines: [
        { account: provenAccountOf(book), amount: -amount, moved },
        typeof other === 'string'
          ? { account: { kind: other }, amount }
          : { account: provenAccountOf(other.code), amount, moved: halfOf(moved, other.account) },
      ],
    })),
  );
  if (entries.length !== 2 * postings.length)
    throw new BrokenInvariant(
      'a line of a statement was booked before, or on a ledger account that is not there',
    );
  return new Map(entries.map(({ movementId, entryId }) => [movementId, entryId]));
}

export type LineItem = {
  transferId: string;
  channel: string;
  connection: string;
  receipt: string;
  transactionId: string | null;
  amount: Minor;
  currency: string;
  detail: string;
};

/** Inserts items before their transfers. Throws if a name was taken meanwhile, so nothing is lost. */
export async function insertLineItems(db: Queryable, items: readonly LineItem[]): Promise<void> {
  if (items.length === 0) return;
  const { rowCount } = await db.query(
    `INSERT INTO suspense_items (channel, space, receipt, transaction_id, amount, currency,
       detail, transfer_id)
     SELECT channel, receipt_space(connection), receipt, transaction_id, amount, currency, detail, transfer
     FROM unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::bigint[], $6::text[],
       $7::text[], $8::uuid[])
       AS one (channel, connection, receipt, transaction_id, amount, currency, detail, transfer)
     ON CONFLICT (receipt, space) WHERE NOT is_void DO NOTHING`,
    [
      items.map((one) => one.channel),
      items.map((one) => one.connection),
      items.map((one) => one.receipt),
      items.map((one) => one.transactionId),
      items.map((one) => minor(one.amount)),
      items.map((one) => one.currency),
      items.map((one) => one.detail),
      items.map((one) => one.transferId),
    ],
  );
  if (rowCount !== items.length) await refuseTaken(db, 'of a line');
}

/** The half of a sweep that the other account's statement will show. */
const halfOf = (moved: LinePosting['moved'], account: string): Movement => ({
  ...moved,
  id: randomUUID(),
  shown: { ...moved.shown, account },
});

/**
 * Reverses bookings of `postLines` by opposite transfers, which take their items out of suspense. A reversal
 * counts at its booking's time, so the sum is always zero. Throws if an item has left or a booking was
 * reversed before. Call it inside the caller's transaction.
 */
export async function postBack(
  db: Queryable,
  transferIds: readonly string[],
  agreed: { proposalId?: string; note: string },
): Promise<void> {
  const { rows } = await db.query(
    `SELECT t.id, t.transaction_id AS "transactionId", t.reference, i.id AS item, a.kind, a.code, a.currency,
       e.amount, e.id AS entry, e.movement_id AS of
     FROM transfers t JOIN entries e ON e.transfer_id = t.id
     JOIN ledger_accounts a ON a.id = e.ledger_account_id
     LEFT JOIN suspense_items i ON i.transfer_id = t.id WHERE t.id = ANY($1::uuid[]) ORDER BY t.id, e.id`,
    [transferIds],
  );
  const undone = new Map<string, Transfer & { id: string; item: string | null }>();
  for (const { id, transactionId, reference, item, kind, code, currency, amount, entry, of } of rows) {
    const back = undone.get(id) ?? {
      id: randomUUID(),
      kind: 'void',
      currency,
      transactionId,
      reference,
      ...agreed,
      dedupeKey: `void:${id}`,
      item,
      lines: [],
    };
    const account = { kind } as OwnAccount;
    back.lines.push(
      of === null
        ? { account, amount: -amount }
        : { account: provenAccountOf(code), amount: -amount, moved: { of, takesBack: true, undoes: entry } },
    );
    undone.set(id, back);
  }
  const backs = [...undone.values()];
  const items = backs.flatMap(({ id, item }) => (item === null ? [] : [{ id, item }]));
  if (!(await leaveTogether(db, items)))
    throw new BrokenInvariant('an item left suspense while its statement was made void');
  const { length } = await postTransfers(db, backs);
  if (length !== rows.length) throw new BrokenInvariant('a line was taken back before');
}

/**
 * Merges an item's movement into `into`: reverses the item's booking, and moves its line and names. False if
 * the item has not exactly one line, its day is closed, or `into` has a line. Call it inside the caller's
 * transaction.
 */
export async function joinItem(
  db: Queryable,
  { id, transferId }: NonNullable<Known['item']>,
  into: string,
  note: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT FROM movements m
     WHERE m.id = $2 AND (SELECT count(*)
       FROM transfers t JOIN line_matches x ON x.line_id = t.line_id AND NOT x.is_freed WHERE t.id = $1) = 1
       AND EXISTS (SELECT FROM entries e JOIN movements o ON o.id = e.movement_id
         WHERE e.transfer_id = $1 AND o.space = m.space
         AND o.ledger_account_id = m.ledger_account_id AND o.amount = m.amount)
       AND (SELECT sum(CASE WHEN e.takes_back THEN -1 ELSE 1 END) FROM entries e
         WHERE e.movement_id = m.id) = 1
       AND NOT EXISTS (SELECT FROM entries e JOIN line_matches x ON x.entry_id = e.id
         WHERE e.movement_id = m.id AND NOT x.is_freed)
       AND NOT EXISTS (SELECT FROM entries e JOIN line_matches x ON x.entry_id = e.id
         JOIN statement_lines l ON l.id = x.line_id
         JOIN closed_days d ON d.account = l.account AND d.day = l.day
         WHERE e.transfer_id = $1 AND d.reopened_at IS NULL)`,
    [transferId, into],
  );
  if (rowCount !== 1) return false;
  await postBack(db, [transferId], { note });
  await db.query('SELECT join_item($1, $2)', [id, into]);
  return true;
}

type Unnamed = Omit<Parameters<typeof unnamedItemOf>[1], 'isNumberedAnew'>;

/**
 * Merges a line's item into the item of an earlier report, which had no receipt. False if there is none, or
 * they are not one movement. Call it inside the caller's transaction.
 */
export async function joinUnnamed(
  db: Queryable,
  known: Known,
  movement: Unnamed,
  told: Parameters<typeof toldNames>[1],
): Promise<boolean> {
  if (!isOpenFor(known, { ...known, transactionId: movement.transactionId })) return false;
  const unnamed = await unnamedItemOf(db, { ...movement, isNumberedAnew: false });
  const note = `${told.channelReference} is the receipt of ${unnamed?.item}, too: they are one movement`;
  if (unnamed === null || !(await joinItem(db, known.item, unnamed.id, note))) return false;
  await addNames(db, toldNames(unnamed.id, told));
  return true;
}

async function leaveTogether(
  db: Queryable,
  items: readonly { item: string; id: string }[],
): Promise<boolean> {
  if (items.length === 0) return true;
  const { rowCount } = await db.query(
    `UPDATE suspense_items i SET left_by = u.by FROM unnest($1::text[], $2::uuid[]) AS u (item, by)
     WHERE i.id = u.item AND i.left_by IS NULL`,
    [items.map(({ item }) => item), items.map(({ id }) => id)],
  );
  return rowCount === items.length;
}

/** Returns false if it has left before. The caller posts the transfer afterwards. */
export async function leaveSuspense(db: Queryable, item: string, transferId: string): Promise<boolean> {
  const { rowCount } = await update(
    db,
    'suspense_items',
    { left_by: transferId },
    { id: item, left_by: null },
  );
  return rowCount === 1;
}

/** Takes a line's item for a transaction that ends next. If the item has left, the transaction runs again. */
export async function takeItem(db: Queryable, item: string, transferId: string): Promise<void> {
  if (!(await leaveSuspense(db, item, transferId))) await refuseTaken(db, item);
}
