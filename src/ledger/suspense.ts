import { BrokenInvariant } from '../domain/errors.ts';
import type { Minor } from '../domain/money.ts';
import { type Listed, type Page, readPage } from '../platform/db/listing.ts';
import type { Queryable, RowOf } from '../platform/db/pool.ts';

/** Reads money in suspense item by item. suspense-postings.ts posts it. */

export type SuspenseItem = {
  id: string;
  channel: string;
  space: string;
  receipt: string;
  /** the channel's number, if it came after the item */
  knownAs: string | null;
  transactionId: string | null;
  accountId: string | null;
  /** positive: we owe it; negative: we miss it; zero: unreadable */
  amount: Minor;
  currency: string;
  detail: string;
  createdAt: string;
  ageDays: number;
  release: Release | null;
  /** our payouts to its payer, also failed */
  paybacks: PaybackOfItem[];
};

export type PaybackOfItem = {
  transactionId: string;
  status: 'pending' | 'paid' | 'failed' | 'cancelled';
  failureCode: string | null;
  at: string;
};

/** A statement line turned out to be one of these. */
const bookedAs = ['charge', 'sweep', 'own'] as const;

/** A transaction took the item as its money; this needs no operators' agreement. */
const takenAs = ['collection', 'payout', 'payback_paid', 'reversal'] as const;
export type TakenAs = (typeof takenAs)[number];

/** `payback`: to its payer, or on the way there; `nothing_came`: no money had come. */
const byTwo = [
  'suspense_release',
  'suspense_return',
  'write_off',
  'payback',
  'nothing_came',
  'void',
] as const;
export const releaseKinds = [...byTwo, ...bookedAs, ...takenAs] as const;

export type Release = {
  kind: (typeof releaseKinds)[number];
  at: string;
  proposalId: string;
  proposedBy: string;
  approvedBy: string;
  note: string;
};

/** The oldest comes first. */
const PAYBACKS = `(
    SELECT coalesce(json_agg(json_build_object('transactionId', b.id, 'status', b.status, 'failureCode',
      b.failure_code,
      'at', to_char(b.status_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) ORDER BY b.created_at,
      b.id), '[]')
    FROM transactions b WHERE b.suspense_item = i.id)`;

/** SQL: the receipt that the item's movement got later. */
const KNOWN_AS = `(
    SELECT n.name FROM entries e
    JOIN movement_names n ON n.movement_id = e.movement_id AND n.is_receipt AND n.freed_at IS NULL
    WHERE e.transfer_id = i.transfer_id AND NOT e.takes_back AND n.plain <> plain_name(i.receipt)
    ORDER BY n.id LIMIT 1)`;

const ITEMS = `
  SELECT i.id, i.channel, i.space, i.receipt, ${KNOWN_AS} AS "knownAs", i.transaction_id AS "transactionId",
    t.account_id AS "accountId",
    i.amount, i.currency, i.detail, i.created_at AS "createdAt", ${PAYBACKS} AS paybacks,
    extract(day FROM now() - i.created_at)::int AS "ageDays"
  /* never null: ageDays, note, proposalId, proposedBy, approvedBy */,
    CASE WHEN i.is_open THEN NULL ELSE coalesce(r.kind, 'nothing_came') END AS kind,
    coalesce(r.created_at, p.decided_at) AS at, coalesce(r.note, p.payload::jsonb->>'note', '') AS note,
    coalesce(p.id, '') AS "proposalId",
    coalesce(p.proposed_by, '') AS "proposedBy", coalesce(p.decided_by, '') AS "approvedBy"
  FROM suspense_items i LEFT JOIN transactions t ON t.id = i.transaction_id
  LEFT JOIN transfers r ON r.id = i.left_by
  LEFT JOIN proposals p ON p.id = coalesce(r.proposal_id, CASE WHEN i.amount = 0 THEN i.named_by END)`;

export async function pageOfSuspense(
  db: Queryable,
  { channel, ...page }: Page & { channel?: string | undefined },
): Promise<Listed<SuspenseItem>> {
  const text = `${ITEMS} WHERE i.is_open AND ($1::text IS NULL OR i.channel = $1)`;
  const values = [channel ?? null];
  const { items, ...total } = await readPage(db, { text, values, order: 'i.created_at, i.id' }, page);
  return { items: items.map(toItem), ...total };
}

export async function getSuspenseItem(db: Queryable, id: string): Promise<SuspenseItem | null> {
  const { rows } = await db.query(`${ITEMS} WHERE i.id = $1`, [id]);
  return rows[0] ? toItem(rows[0]) : null;
}

/** True if the item is open. It stays so during the caller's transaction. */
export async function holdItem(db: Queryable, id: string): Promise<boolean> {
  const { rows } = await db.query('SELECT is_open FROM suspense_items WHERE id = $1 FOR NO KEY UPDATE', [id]);
  return rows[0]?.is_open === true;
}

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

export async function hasUnresolved(db: Queryable, transactionId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'SELECT FROM suspense_items WHERE transaction_id = $1 AND is_unresolved(id) LIMIT 1',
    [transactionId],
  );
  return rowCount === 1;
}

/** True if this item's money is in suspense, or on its way back to its payer. */
export async function isUnresolved(db: Queryable, item: string): Promise<boolean> {
  const { rows } = await db.query('SELECT is_unresolved($1) AS is /* never null: is */', [item]);
  return rows[0]?.is ?? false;
}

/** Returns these items and those of these transactions, oldest first, at most 500. */
export async function suspenseItemsOf(
  db: Queryable,
  { transactionIds, ids = [] }: { transactionIds: readonly string[]; ids?: readonly string[] },
): Promise<SuspenseItem[]> {
  const { rows } = await db.query(
    `${ITEMS} WHERE i.transaction_id = ANY($1::uuid[]) OR i.id = ANY($2::text[])
     ORDER BY i.created_at, i.id LIMIT 500`,
    [transactionIds, ids],
  );
  return rows.map(toItem);
}

function toItem(row: RowOf<`${typeof ITEMS} WHERE i.id = $1`>): SuspenseItem {
  const { kind, at, proposalId, proposedBy, approvedBy, note, ...item } = row;
  const release = { kind, at: at ?? '', proposalId, proposedBy, approvedBy, note } as Release;
  return { ...(item as Omit<SuspenseItem, 'release'>), release: kind === null ? null : release };
}
