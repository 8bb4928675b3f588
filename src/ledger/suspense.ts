import { randomUUID } from 'node:crypto';
import { type Listed, type Page, readPage } from '../db/listing.ts';
import type { Queryable, Row } from '../db/pool.ts';
import { BrokenInvariant } from '../domain/errors.ts';
import type { Direction } from '../domain/kinds.ts';
import { type Minor, minor } from '../domain/money.ts';
import { ensureServiceAccounts, type LedgerAccount } from './accounts.ts';
import { postOnce } from './transfer.ts';

/**
 * Money moved at the channel that no state of ours explains (a late success, a wrong amount): an item in suspense, where
 * a person finds it. `receipt` names the movement in the number space of `connection`: it counts once, however often and for
 * whichever transaction it is reported. Money of another currency is kept in accounts of that currency. False when nothing was
 * posted: it was counted before, or it is no money (nothing moved, or a currency that is none).
 */
export async function postSuspense(
  db: Queryable,
  movement: {
    channel: string;
    /** over which it moved */
    connection: string;
    receipt: string;
    /** null: money for no transaction of ours */
    transactionId: string | null;
    direction: Direction;
    amount: Minor;
    currency: string;
    note: string;
  },
): Promise<boolean> {
  const { channel, connection, receipt, transactionId, currency, note } = movement;
  if (movement.amount <= 0 || !/^[A-Z]{3}$/.test(currency)) return false;
  const amount = movement.direction === 'collection' ? movement.amount : -movement.amount;
  const transferId = randomUUID();
  // A receipt that was credited for a bill is no money without an owner. Another amount is another movement.
  const { rows } = await db.query(
    `INSERT INTO suspense_items (channel, space, receipt, transaction_id, amount, currency, detail, transfer_id)
     SELECT $1, own.space, $2, $3, $4, $5, $6, $7 FROM receipt_space($8) AS own (space) WHERE NOT EXISTS (SELECT 1 FROM bill_receipts b WHERE b.space = own.space AND b.receipt = $2 AND b.outcome = 'accepted'
         AND b.amount = $4)
       AND NOT EXISTS (SELECT 1 FROM suspense_items i WHERE i.space = own.space AND i.known_as = $2)
     ON CONFLICT (receipt, space) DO NOTHING RETURNING space`,
    [channel, receipt, transactionId, amount, currency, note, transferId, connection],
  );
  if (!rows[0]) return false;
  await ensureServiceAccounts(db, [channel], currency);
  await postOnce(db, {
    id: transferId,
    kind: 'suspense',
    currency,
    transactionId,
    dedupeKey: `suspense:${rows[0].space}:${receipt}`,
    reference: receipt,
    note,
    lines: [
      { account: { kind: 'clearing', channel }, amount: -amount },
      { account: { kind: 'suspense' }, amount },
    ],
  });
  return true;
}

/** Whether a receipt counts already as money that fits nothing, released since or not. */
export async function isInSuspense(db: Queryable, movement: Receipt): Promise<boolean> {
  return (await itemOfReceipt(db, movement)) !== null;
}

type Receipt = { connection: string; receipt: string };

/** The item of a movement, by either of its names. `knownAs`: the channel's, where it came with a later report. */
export async function itemOfReceipt(
  db: Queryable,
  { connection, receipt }: Receipt,
): Promise<{ knownAs: string | null } | null> {
  const { rows } = await db.query(
    `SELECT known_as AS "knownAs" FROM suspense_items WHERE space = receipt_space($1) AND $2 IN (receipt, known_as)`,
    [connection, receipt],
  );
  return (rows[0] as { knownAs: string | null } | undefined) ?? null;
}

/**
 * The channel's receipt of a movement that is an item under a name of ours, because no report had named one: from now on
 * it counts under both. False where there is no such item, where it has another number, or where the receipt is counted
 * elsewhere. Under the row lock of its transaction.
 */
export async function nameItem(
  db: Queryable,
  { connection, receipt, as, amount, currency }: Receipt & { as: string; amount: Minor; currency: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE suspense_items i SET known_as = $3
     WHERE space = receipt_space($1) AND receipt = $2 AND abs(amount) = $4 AND currency = $5
       AND coalesce(known_as, $3) = $3
       AND NOT EXISTS (SELECT 1 FROM suspense_items other WHERE other.space = i.space
         AND (other.receipt = $3 OR other.known_as = $3 AND other.id <> i.id))
       AND NOT EXISTS (SELECT 1 FROM bill_receipts b WHERE b.space = i.space AND b.receipt = $3 AND b.outcome = 'accepted')`,
    [connection, receipt, as, amount, currency],
  );
  return rowCount === 1;
}

/** Whether a transaction has an item of this size and direction: what a report without a receipt may mean. */
export async function hasItemLike(
  db: Queryable,
  { transactionId, direction, amount, currency }: Alike,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'SELECT 1 FROM suspense_items WHERE transaction_id = $1 AND amount = $2 AND currency = $3 LIMIT 1',
    [transactionId, direction === 'collection' ? amount : -amount, currency],
  );
  return rowCount !== 0;
}

type Alike = { transactionId: string; direction: Direction; amount: Minor; currency: string };

export type SuspenseItem = {
  id: string;
  channel: string;
  /** the number space of its receipt */
  space: string;
  receipt: string;
  /** the channel's number of it, where it came after the item */
  knownAs: string | null;
  transactionId: string | null;
  /** the merchant of the transaction */
  accountId: string | null;
  /** positive: we owe it; negative: we miss it */
  amount: Minor;
  currency: string;
  detail: string;
  createdAt: string;
  ageDays: number;
  release: Release | null;
  /** payouts of ours to whoever paid it, also those that failed */
  paybacks: PaybackOfItem[];
};

/** `at`: of its status. */
export type PaybackOfItem = {
  transactionId: string;
  status: 'pending' | 'paid' | 'failed' | 'cancelled';
  failureCode: string | null;
  at: string;
};

/** How an item left suspense, and by whose word. */
export type Release = {
  /** payback: to its payer, or on the way there */
  kind: 'suspense_release' | 'suspense_return' | 'write_off' | 'payback';
  at: string;
  proposalId: string;
  proposedBy: string;
  approvedBy: string;
  /** what the two of them wrote about it */
  note: string;
};

/** Oldest first. */
const PAYBACKS = `(
    SELECT coalesce(json_agg(json_build_object('transactionId', b.id, 'status', b.status, 'failureCode', b.failure_code,
      'at', to_char(b.status_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) ORDER BY b.created_at, b.id), '[]')
    FROM transactions b WHERE b.suspense_item = i.id)`;

const ITEMS = `
  SELECT i.*, t.account_id, ${PAYBACKS} AS paybacks, extract(day FROM now() - i.created_at)::int AS age_days,
    r.kind AS release_kind, r.created_at AS released_at, r.note, r.proposal_id, p.proposed_by, p.decided_by AS approved_by
  FROM suspense_items i LEFT JOIN transactions t ON t.id = i.transaction_id
  LEFT JOIN transfers r ON r.id = i.left_by LEFT JOIN proposals p ON p.id = r.proposal_id`;

/** Open items, oldest first. */
export async function pageOfSuspense(db: Queryable, page: Page): Promise<Listed<SuspenseItem>> {
  const text = `${ITEMS} WHERE i.left_by IS NULL`;
  const { items, ...total } = await readPage(db, { text, order: 'i.created_at, i.id' }, page);
  return { items: items.map(toItem), ...total };
}

/** The item with this id, open or not; null when there is none. */
export async function getSuspenseItem(db: Queryable, id: string): Promise<SuspenseItem | null> {
  const { rows } = await db.query(`${ITEMS} WHERE i.id = $1`, [id]);
  return rows[0] ? toItem(rows[0]) : null;
}

/** What an item is about: a transaction, or else its receipt. */
export async function subjectOfItem(
  db: Queryable,
  id: string,
): Promise<Pick<SuspenseItem, 'space' | 'receipt' | 'transactionId'>> {
  const { rows } = await db.query(
    'SELECT space, receipt, transaction_id AS "transactionId" FROM suspense_items WHERE id = $1',
    [id],
  );
  if (!rows[0]) throw new BrokenInvariant(`there is no item ${id} in suspense`);
  return rows[0] as Pick<SuspenseItem, 'space' | 'receipt' | 'transactionId'>;
}

/** Of these transactions, and these items, open or not, oldest first. */
export async function suspenseItemsOf(
  db: Queryable,
  { transactionIds, ids = [] }: { transactionIds: readonly string[]; ids?: readonly string[] },
): Promise<SuspenseItem[]> {
  const { rows } = await db.query(
    `${ITEMS} WHERE i.transaction_id = ANY($1::uuid[]) OR i.id = ANY($2::text[]) ORDER BY i.created_at, i.id LIMIT 500`,
    [transactionIds, ids],
  );
  return rows.map(toItem);
}

/** Whether a transaction still has money in suspense. */
export async function hasOpenItems(db: Queryable, transactionId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'SELECT 1 FROM suspense_items WHERE transaction_id = $1 AND left_by IS NULL LIMIT 1',
    [transactionId],
  );
  return rowCount === 1;
}

/**
 * Where an item goes: to a merchant (who bears it where money is missing), back over its channel (which moved it the other
 * way, by a movement of its own), or to us.
 */
export type Destination = { to: 'merchant'; accountId: string } | { to: 'channel' } | { to: 'us' };

/**
 * An item leaves suspense, once: false when it has left before, whichever way. No fee is taken. Throws InsufficientFunds
 * where a merchant is to bear more than he has. Inside the caller's transaction, last of all.
 */
export async function postRelease(
  db: Queryable,
  item: SuspenseItem,
  released: Destination & { proposalId: string; note: string },
): Promise<boolean> {
  const { amount, currency } = item;
  await ensureServiceAccounts(db, [], currency);
  const { kind, account } = otherSideOf(item, released);
  // On a merchant's statement no transaction of another merchant is named.
  const isForeign = released.to === 'merchant' && released.accountId !== item.accountId;
  const transferId = randomUUID();
  const { rowCount } = await db.query(
    'UPDATE suspense_items SET left_by = $2 WHERE id = $1 AND left_by IS NULL',
    [item.id, transferId],
  );
  if (rowCount === 0) return false;
  await postOnce(db, {
    id: transferId,
    kind,
    currency,
    transactionId: isForeign ? null : item.transactionId,
    dedupeKey: `release:${item.id}`,
    reference: item.receipt,
    note: released.note,
    proposalId: released.proposalId,
    lines: [
      { account: { kind: 'suspense' }, amount: -amount },
      { account, amount },
    ],
  });
  return true;
}

function otherSideOf(
  { amount, channel }: SuspenseItem,
  destination: Destination,
): { kind: Exclude<Release['kind'], 'payback'>; account: LedgerAccount } {
  switch (destination.to) {
    case 'merchant':
      return { kind: 'suspense_release', account: { kind: 'available', accountId: destination.accountId } };
    case 'channel':
      return { kind: 'suspense_return', account: { kind: 'clearing', channel } };
    case 'us':
      return { kind: 'write_off', account: { kind: amount > 0 ? 'gains' : 'losses' } };
  }
}

function toItem(row: Row): SuspenseItem {
  return {
    id: row.id,
    channel: row.channel,
    space: row.space,
    receipt: row.receipt,
    knownAs: row.known_as,
    transactionId: row.transaction_id,
    accountId: row.account_id,
    amount: minor(row.amount),
    currency: row.currency,
    detail: row.detail,
    createdAt: row.created_at,
    ageDays: row.age_days,
    paybacks: row.paybacks,
    release:
      row.released_at === null
        ? null
        : {
            kind: row.release_kind,
            at: row.released_at,
            proposalId: row.proposal_id,
            proposedBy: row.proposed_by,
            approvedBy: row.approved_by,
            note: row.note ?? '',
          },
  };
}
