import { randomUUID } from 'node:crypto';
import { type Listed, type Page, readPage } from '../db/listing.ts';
import type { Queryable, RowOf } from '../db/pool.ts';
import { BrokenInvariant } from '../domain/errors.ts';
import type { Direction } from '../domain/kinds.ts';
import { type Minor, minor } from '../domain/money.ts';
import { ensureServiceAccounts, type LedgerAccount } from './accounts.ts';
import { postOnce } from './transfer.ts';

/**
 * Money moved at the channel that no state of ours explains (a late success, a wrong amount): an item in suspense, where
 * a person finds it. `receipt` names the movement in the number space of `connection`: it counts once, however often and for
 * whichever transaction it is reported. Money of another currency is kept in accounts of that currency. What is no amount of
 * money is an item of zero without a posting, until two operators name it (`postNamed`). False when nothing was posted.
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
    /** null where nobody can read it */
    amount: Minor | null;
    currency: string;
    note: string;
  },
): Promise<boolean> {
  const { channel, connection, receipt, transactionId, currency, note } = movement;
  const isMoney = movement.amount !== null && movement.amount > 0 && /^[A-Z]{3}$/.test(currency);
  const size = isMoney ? (movement.amount ?? 0) : 0;
  const amount = minor(movement.direction === 'collection' ? size : -size);
  const transferId = isMoney ? randomUUID() : null;
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
  const { space } = rows[0];
  if (transferId === null) return false;
  await postItem(db, { transferId, space, channel, receipt, transactionId, currency, amount, note });
  return true;
}

/**
 * Two operators say how much an item is that nobody could read, and it is posted; zero: nothing had come, and the item is
 * settled. Minor units, below zero where it left us. False where it was named before. Inside the caller's transaction.
 */
export async function postNamed(
  db: Queryable,
  item: SuspenseItem,
  named: { amount: Minor; currency: string; proposalId: string; note: string },
): Promise<boolean> {
  const { amount, currency, proposalId } = named;
  const transferId = amount === 0 ? null : randomUUID();
  const { rows } = await db.query('SELECT name_amount($1, $2, $3, $4, $5) AS named', [
    item.id,
    amount,
    currency,
    transferId,
    proposalId,
  ]);
  if (!rows[0].named) return false;
  if (transferId !== null) await postItem(db, { ...item, ...named, transferId });
  return true;
}

type Posting = Pick<SuspenseItem, 'space' | 'channel' | 'receipt' | 'transactionId' | 'currency' | 'amount'>;

async function postItem(
  db: Queryable,
  item: Posting & {
    transferId: string;
    note: string;
    proposalId?: string;
  },
): Promise<void> {
  const { transferId, space, channel, receipt, transactionId, currency, amount, note, proposalId } = item;
  await ensureServiceAccounts(db, [channel], currency);
  await postOnce(db, {
    id: transferId,
    kind: 'suspense',
    currency,
    transactionId,
    dedupeKey: `suspense:${space}:${receipt}`,
    reference: receipt,
    note,
    ...(proposalId === undefined ? {} : { proposalId }),
    lines: [
      { account: { kind: 'clearing', channel }, amount: -amount },
      { account: { kind: 'suspense' }, amount },
    ],
  });
}

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
  /** positive: we owe it; negative: we miss it; zero: nobody could read it */
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

/** What a line of a statement turned out to be. */
export type BookedAs = 'charge' | 'sweep' | 'own';

/** How an item left suspense, and by whose word; `nothing_came`: nothing of it was ever there. */
export type Release = {
  /** payback: to its payer, or on the way there */
  kind: 'suspense_release' | 'suspense_return' | 'write_off' | 'payback' | 'nothing_came' | BookedAs;
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
  SELECT i.*, t.account_id, ${PAYBACKS} AS paybacks, extract(day FROM now() - i.created_at)::int AS age_days /* never null: age_days */,
    CASE WHEN i.is_open THEN NULL ELSE coalesce(r.kind, 'nothing_came') END AS release_kind, p.id AS proposal_id,
    coalesce(r.created_at, p.decided_at) AS released_at, coalesce(r.note, p.payload::jsonb->>'note') AS note, p.proposed_by,
    p.decided_by AS approved_by
  FROM suspense_items i LEFT JOIN transactions t ON t.id = i.transaction_id
  LEFT JOIN transfers r ON r.id = i.left_by LEFT JOIN proposals p ON p.id = coalesce(r.proposal_id, CASE WHEN i.amount = 0 THEN i.named_by END)`;

/** Open items, oldest first: all, or those that came over one channel. */
export async function pageOfSuspense(
  db: Queryable,
  { channel, ...page }: Page & { channel?: string | undefined },
): Promise<Listed<SuspenseItem>> {
  const text = `${ITEMS} WHERE i.is_open AND ($1::text IS NULL OR i.channel = $1)`;
  const values = [channel ?? null];
  const { items, ...total } = await readPage(db, { text, values, order: 'i.created_at, i.id' }, page);
  return { items: items.map(toItem), ...total };
}

/** The item with this id, open or not; null when there is none. */
export async function getSuspenseItem(db: Queryable, id: string): Promise<SuspenseItem | null> {
  const { rows } = await db.query(`${ITEMS} WHERE i.id = $1`, [id]);
  return rows[0] ? toItem(rows[0]) : null;
}

/** The subject of an item: a transaction, or else its receipt. */
export async function subjectOfItem(
  db: Queryable,
  id: string,
): Promise<Pick<SuspenseItem, 'receipt' | 'transactionId'>> {
  const { rows } = await db.query(
    'SELECT receipt, transaction_id AS "transactionId" FROM suspense_items WHERE id = $1',
    [id],
  );
  if (!rows[0]) throw new BrokenInvariant(`there is no item ${id} in suspense`);
  return rows[0] as Pick<SuspenseItem, 'receipt' | 'transactionId'>;
}

/** Whether a transaction has money in suspense, or on its way back to its payer. */
export async function hasUnsettled(db: Queryable, transactionId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'SELECT FROM suspense_items WHERE transaction_id = $1 AND is_unsettled(id) LIMIT 1',
    [transactionId],
  );
  return rowCount === 1;
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

/**
 * Where an item goes: to a merchant (who bears it where money is missing), back over its channel (which moved it the other
 * way, by a movement of its own), or to us.
 */
export type Destination =
  | { to: 'merchant'; accountId: string }
  | { to: 'channel' | 'us' | 'charges' | 'own' };

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
  // On a merchant's statement no transaction of another merchant is named, and on his transaction nothing of our own.
  const isForeign =
    (released.to === 'merchant' && released.accountId !== item.accountId) || account.kind === released.to;
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
): { kind: Exclude<Release['kind'], 'payback' | 'nothing_came' | 'sweep'>; account: LedgerAccount } {
  switch (destination.to) {
    case 'merchant':
      return { kind: 'suspense_release', account: { kind: 'available', accountId: destination.accountId } };
    case 'channel':
      return { kind: 'suspense_return', account: { kind: 'clearing', channel } };
    case 'us':
      return { kind: 'write_off', account: { kind: amount > 0 ? 'gains' : 'losses' } };
    case 'charges':
      return { kind: 'charge', account: { kind: 'charges' } };
    case 'own':
      return { kind: 'own', account: { kind: 'own' } };
  }
}

function toItem(row: RowOf<`${typeof ITEMS} WHERE i.id = $1`>): SuspenseItem {
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
    paybacks: row.paybacks as PaybackOfItem[],
    release:
      row.release_kind === null
        ? null
        : {
            kind: row.release_kind as Release['kind'],
            at: row.released_at ?? '',
            proposalId: row.proposal_id ?? '',
            proposedBy: row.proposed_by ?? '',
            approvedBy: row.approved_by ?? '',
            note: row.note ?? '',
          },
  };
}
