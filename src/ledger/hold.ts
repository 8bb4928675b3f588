import { randomUUID } from 'node:crypto';
import { BrokenInvariant } from '../domain/errors.ts';
import type { Minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { prepared } from '../platform/db/prepared.ts';
import { insert } from '../platform/db/write.ts';
import { takeItem } from './line-postings.ts';
import { postOnce, type Told, type Transfer } from './transfer.ts';

/** `value` goes to the recipient, `fee` to us. */
export type HoldSubject = {
  transactionId: string;
  accountId: string;
  currency: string;
  channel: string;
  reference: string;
  value: Minor;
  fee: Minor;
};

/** available → held, value + fee. Throws InsufficientFunds. The transfer comes last: it locks the balance. */
export function placeHold(db: Queryable, subject: HoldSubject): Promise<void> {
  return place(db, subject, { transactionId: subject.transactionId, batchId: null });
}

type BatchHold = { batchId: string } & Pick<
  HoldSubject,
  'accountId' | 'currency' | 'reference' | 'value' | 'fee'
>;

/** available → held for a whole batch, as two statement lines. Throws InsufficientFunds. */
export function placeBatchHold(db: Queryable, hold: BatchHold): Promise<void> {
  return place(db, hold, { transactionId: null, batchId: hold.batchId });
}

async function place(
  db: Queryable,
  hold: Omit<BatchHold, 'batchId'>,
  { transactionId, batchId }: { transactionId: string | null; batchId: string | null },
): Promise<void> {
  const { accountId, currency, reference, value, fee } = hold;
  const id = randomUUID();
  await insert(db, 'holds', {
    transaction_id: transactionId,
    account_id: accountId,
    amount: value + fee,
    transfer_id: id,
    batch_id: batchId,
    carved_from: null,
  });
  const dedupeKey = `hold:${transactionId ?? `batch:${batchId}`}`;
  const lines = linesOfHold(hold);
  await postOnce(db, { id, kind: 'hold', currency, transactionId, dedupeKey, reference, lines });
}

type HeldMoney = Pick<HoldSubject, 'accountId' | 'value' | 'fee'>;

/** A merchant's statement shows value and fee separately. */
function linesOfHold({ accountId, value, fee }: HeldMoney) {
  return [
    { account: { kind: 'available', accountId }, amount: -value },
    { account: { kind: 'available', accountId }, amount: -fee, isFee: true },
    { account: { kind: 'held', accountId }, amount: value + fee },
  ] satisfies Transfer['lines'];
}

function linesOfRelease(money: HeldMoney): Transfer['lines'] {
  return linesOfHold(money).map((line) => ({ ...line, amount: -line.amount }));
}

/** Turns part of a batch's hold into an item's hold. The caller has reduced the batch's hold. */
export async function carveHold(
  db: Queryable,
  { transactionId, accountId, value, fee }: HoldSubject,
  batchId: string,
): Promise<void> {
  const carved = await db.query(
    prepared(`INSERT INTO holds (transaction_id, account_id, amount, transfer_id, carved_from)
       SELECT $1, account_id, $3, transfer_id, batch_id FROM holds WHERE batch_id = $4 AND account_id = $2`),
    [transactionId, accountId, value + fee, batchId],
  );
  if (carved.rowCount !== 1) throw new BrokenInvariant(`batch ${batchId} has no hold of this account`);
}

/** held → available: releases what no item took. The caller has taken it from the batch's row. */
export async function releaseBatchHold(db: Queryable, hold: BatchHold): Promise<void> {
  const { batchId, currency, reference } = hold;
  const dedupeKey = `release:batch:${batchId}`;
  const lines = linesOfRelease(hold);
  await postOnce(db, { kind: 'release', currency, transactionId: null, dedupeKey, reference, lines });
}

/**
 * held → clearing (value) and fees (fee): the payout was paid. `item`: suspense item, if a statement showed
 * the payout first. False if the hold was resolved before.
 */
export function takeHold(
  db: Queryable,
  subject: HoldSubject,
  { item = null, told = { toldBy: 'channel', names: [] } }: { item?: string | null; told?: Told } = {},
): Promise<boolean> {
  const { accountId, channel, value, fee } = subject;
  return resolve(db, { ...subject, item }, 'taken', 'payout', [
    { account: { kind: 'held', accountId }, amount: -(value + fee) },
    item === null
      ? { account: { kind: 'clearing', channel }, amount: value, moved: told }
      : { account: { kind: 'suspense' }, amount: value },
    { account: { kind: 'fees' }, amount: fee },
  ]);
}

/** held → available: the payout failed or was cancelled. False if the hold was resolved before. */
export function releaseHold(db: Queryable, subject: HoldSubject): Promise<boolean> {
  return resolve(db, subject, 'released', 'release', linesOfRelease(subject));
}

/** The shared primary key and dedupe key ensure that a hold ends once and in one way. */
async function resolve(
  db: Queryable,
  { transactionId, currency, reference, item = null }: HoldSubject & { item?: string | null },
  resolution: 'taken' | 'released',
  kind: 'payout' | 'release',
  lines: Transfer['lines'],
): Promise<boolean> {
  const transferId = randomUUID();
  const { rowCount } = await insert(
    db,
    'hold_resolutions',
    { transaction_id: transactionId, resolution, transfer_id: transferId },
    { onConflict: '(transaction_id) DO NOTHING' },
  );
  if (rowCount === 0) return false;
  if (item !== null) await takeItem(db, item, transferId);
  const dedupeKey = `resolve:${transactionId}`;
  await postOnce(db, { id: transferId, kind, currency, transactionId, dedupeKey, reference, lines });
  return true;
}
