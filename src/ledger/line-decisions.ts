import { randomUUID } from 'node:crypto';
import { BrokenInvariant } from '../domain/errors.ts';
import { type Minor, minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { only } from '../platform/db/rows.ts';
import { ensureServiceAccounts, type ProvenAccount, provenAccountOf } from './accounts.ts';
import { movementOfEntry, turnOf } from './booked.ts';
import { leaveSuspense } from './line-postings.ts';
import type { SuspenseItem } from './suspense.ts';
import { refuseTaken } from './suspense-receipts.ts';
import { postOnce, postTransfer } from './transfer.ts';

/** Operators' decisions about statement lines. suspense-postings.ts has those about suspense alone. */

/**
 * Takes two items out of suspense by one transfer, because they offset each other: halves of a sweep, or a
 * movement and its return. False if one has left. Throws BrokenInvariant if they do not offset each other.
 * Call it last in the caller's transaction.
 */
export async function postPairOfItems(
  db: Queryable,
  [one, other]: readonly [PairedItem, PairedItem],
  agreed: {
    kind: 'sweep' | 'suspense_return';
    transactionId: string | null;
    proposalId: string;
    note: string;
  },
): Promise<boolean> {
  if (one.amount + other.amount !== 0 || one.currency !== other.currency)
    throw new BrokenInvariant(`${one.id} and ${other.id} do not make up for each other`);
  const transferId = randomUUID();
  const { rowCount } = await db.query(
    `UPDATE suspense_items SET left_by = $2 WHERE id = ANY($1) AND left_by IS NULL
       AND (SELECT count(*) = 2 FROM (SELECT FROM suspense_items WHERE id = ANY($1) AND left_by IS NULL
         ORDER BY id FOR NO KEY UPDATE) open)`,
    [[one.id, other.id], transferId],
  );
  if (rowCount !== 2) return false;
  await postOnce(db, {
    id: transferId,
    currency: one.currency,
    dedupeKey: `release:${one.id}`,
    reference: one.receipt,
    ...agreed,
    lines: [one, other].map(({ amount }) => ({ account: { kind: 'suspense' }, amount: minor(-amount) })),
  });
  return true;
}

type PairedItem = Pick<SuspenseItem, 'id' | 'receipt' | 'amount' | 'currency'>;

/**
 * An item turns out to be the half of a booked sweep that no statement has shown. Reverses the booked half
 * and takes the item out of suspense, so the item's movement replaces it. False if either is gone. Call it
 * last in the caller's transaction.
 */
export async function postShownHalf(
  db: Queryable,
  { item, entry }: { item: SuspenseItem; entry: number },
  agreed: { proposalId: string; note: string },
): Promise<boolean> {
  const moved = await turnOf(db, await movementOfEntry(db, entry), minor(-item.amount));
  const id = randomUUID();
  if (moved === null || !(await leaveSuspense(db, item.id, id))) return false;
  const { rows } = await db.query(
    'SELECT a.code FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id WHERE e.id = $1',
    [entry],
  );
  await postOnce(db, {
    id,
    kind: 'sweep',
    currency: item.currency,
    transactionId: null,
    dedupeKey: keyOfUnmoved(entry),
    reference: item.receipt,
    ...agreed,
    lines: [
      { account: provenAccountOf(only(rows).code), amount: item.amount, moved: { ...moved, undoes: entry } },
      { account: { kind: 'suspense' }, amount: minor(-item.amount) },
    ],
  });
  return true;
}

export type UnseenEntry = {
  entry: number;
  account: ProvenAccount;
  /** the entry's amount: negative if money came in */
  amount: Minor;
  currency: string;
  /** connection over which it should have moved */
  connection: string;
  name: string;
  transactionId: string | null;
};

/**
 * Reverses booked money that the network or bank never moved. It becomes a suspense item, under the
 * movement's name if that is free. False if it was reversed before. Call it last in the caller's transaction.
 */
export async function postUnmoved(
  db: Queryable,
  { entry, account, amount, currency, connection, name, transactionId }: UnseenEntry,
  agreed: { proposalId: string; note: string },
): Promise<boolean> {
  const moved = await turnOf(db, await movementOfEntry(db, entry), amount);
  // The channel may have reported the same before, which reversed the movement.
  if (moved === null) return false;
  const transferId = randomUUID();
  const channel = account.kind === 'clearing' ? account.channel : 'bank';
  await ensureServiceAccounts(db, [channel], currency);
  const posted = await postTransfer(db, {
    id: transferId,
    kind: 'suspense',
    currency,
    transactionId,
    dedupeKey: keyOfUnmoved(entry),
    reference: name,
    ...agreed,
    lines: [
      { account, amount: minor(-amount), moved: { ...moved, undoes: entry } },
      { account: { kind: 'suspense' }, amount },
    ],
  });
  if (!posted) return false;
  const { rowCount } = await db.query(
    `INSERT INTO suspense_items (channel, space, receipt, transaction_id, amount, currency,
       detail, transfer_id)
     SELECT $1, space, CASE WHEN EXISTS (SELECT FROM bill_receipts b
       WHERE b.space = own.space AND b.receipt = $2)
         OR EXISTS (SELECT FROM suspense_items i
           WHERE i.space = own.space AND i.receipt = $2 AND NOT i.is_void)
       THEN $2 || '#ours#' || $9::bigint ELSE $2 END, $3, $4, $5, $6, $7
     FROM receipt_space($8) AS own (space) ON CONFLICT (receipt, space) WHERE NOT is_void DO NOTHING`,
    [channel, name, transactionId, amount, currency, agreed.note, transferId, connection, entry],
  );
  if (rowCount !== 1) await refuseTaken(db, name);
  return true;
}

const keyOfUnmoved = (entry: number) => `ours:${entry}`;
