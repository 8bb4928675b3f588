import { randomUUID } from 'node:crypto';
import { BrokenInvariant } from '../domain/errors.ts';
import type { Minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { ensureServiceAccounts } from './accounts.ts';
import { leaveSuspense, takeItem } from './line-postings.ts';
import { postOnce, type Told } from './transfer.ts';

export type PaybackSubject = {
  transactionId: string;
  item: string;
  currency: string;
  channel: string;
  reference: string;
  value: Minor;
};

/** suspense → payable: takes an open item for a payback; false if it is not open. Needs a transaction. */
export async function takeForPayback(
  db: Queryable,
  subject: PaybackSubject,
  agreed: { proposalId: string; note: string },
): Promise<boolean> {
  const { transactionId, item, currency, channel, reference, value } = subject;
  const transferId = randomUUID();
  if (!(await leaveSuspense(db, item, transferId))) return false;
  await ensureServiceAccounts(db, [channel], currency);
  await postOnce(db, {
    id: transferId,
    kind: 'payback',
    currency,
    transactionId,
    dedupeKey: `payback:${transactionId}`,
    reference,
    note: agreed.note,
    proposalId: agreed.proposalId,
    lines: [
      { account: { kind: 'suspense' }, amount: -value },
      { account: { kind: 'payable' }, amount: value },
    ],
  });
  return true;
}

/** True if the item left by this payback: that proves two operators' approval; the payback's row does not. */
export async function isTakenForPayback(
  db: Queryable,
  { transactionId, item }: Pick<PaybackSubject, 'transactionId' | 'item'>,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT FROM transfers t JOIN suspense_items i ON i.left_by = t.id
     WHERE t.transaction_id = $1 AND t.kind = 'payback' AND i.id = $2`,
    [transactionId, item],
  );
  return rowCount === 1;
}

/**
 * payable → clearing if the payer was paid, or payable → suspense if the payback failed; its item is open
 * again. Happens once, in one way. `paidAs`: item of a statement that showed it first.
 */
export async function resolvePayback(
  db: Queryable,
  { transactionId, item, currency, channel, reference, value }: PaybackSubject,
  { succeeded, told, paidAs }: { succeeded: boolean; told: Told; paidAs: string | null },
): Promise<void> {
  // A row without an approval took nothing out of suspense, so nothing can be paid.
  if (!(await isTakenForPayback(db, { transactionId, item })))
    throw new BrokenInvariant(`the payback ${transactionId} has no item`);
  const id = randomUUID();
  if (paidAs !== null) await takeItem(db, paidAs, id);
  await postOnce(db, {
    id,
    kind: succeeded ? 'payback_paid' : 'payback_failed',
    currency,
    transactionId,
    dedupeKey: `resolve:${transactionId}`,
    reference,
    lines: [
      { account: { kind: 'payable' }, amount: -value },
      succeeded && paidAs === null
        ? { account: { kind: 'clearing', channel }, amount: value, moved: told }
        : { account: { kind: 'suspense' }, amount: value },
    ],
  });
  if (succeeded) return;
  const { rowCount } = await db.query(
    `UPDATE suspense_items i SET left_by = NULL FROM transfers t
     WHERE i.id = $1 AND i.left_by = t.id AND t.transaction_id = $2 AND t.kind = 'payback'`,
    [item, transactionId],
  );
  if (rowCount !== 1)
    throw new BrokenInvariant(`the item of the payback ${transactionId} left by another way`);
}
