import type { Queryable } from '../db/pool.ts';
import type { Minor } from '../domain/money.ts';
import { postTransfer } from './transfer.ts';

/** A payout's money. `value` goes to the recipient, `fee` to us; both are held together and resolved together, once. */
export type HoldSubject = {
  transactionId: string;
  accountId: string;
  currency: string;
  channel: string;
  /** ours, as the merchant knows the payout */
  reference: string;
  value: Minor;
  fee: Minor;
};

/** available → held, value + fee. Throws InsufficientFunds when the balance does not cover it. */
export async function placeHold(db: Queryable, subject: HoldSubject): Promise<void> {
  const { accountId, reference, value, fee } = subject;
  const total = value + fee;
  await postTransfer(db, {
    kind: 'hold',
    currency: subject.currency,
    transactionId: subject.transactionId,
    dedupeKey: `hold:${subject.transactionId}`,
    reference,
    lines: [
      { account: { kind: 'available', accountId }, amount: -value },
      { account: { kind: 'available', accountId }, amount: -fee, isFee: true },
      { account: { kind: 'held', accountId }, amount: total },
    ],
  });
  await db.query(
    `INSERT INTO holds (transaction_id, account_id, amount, transfer_id)
     SELECT $1, $2, $3, id FROM transfers WHERE dedupe_key = $4`,
    [subject.transactionId, accountId, total, `hold:${subject.transactionId}`],
  );
}

/** held → clearing (value) and fees (fee): the payout was paid. False when the hold was resolved before. */
export function takeHold(db: Queryable, subject: HoldSubject): Promise<boolean> {
  return resolve(db, subject, 'taken', 'payout', [
    { account: { kind: 'held', accountId: subject.accountId }, amount: -(subject.value + subject.fee) },
    { account: { kind: 'clearing', channel: subject.channel }, amount: subject.value },
    { account: { kind: 'fees' }, amount: subject.fee },
  ]);
}

/** held → available: the payout failed or was cancelled. False when the hold was resolved before. */
export function releaseHold(db: Queryable, subject: HoldSubject): Promise<boolean> {
  const { accountId, value, fee } = subject;
  return resolve(db, subject, 'released', 'release', [
    { account: { kind: 'held', accountId }, amount: -(value + fee) },
    { account: { kind: 'available', accountId }, amount: value },
    { account: { kind: 'available', accountId }, amount: fee, isFee: true },
  ]);
}

/** Both resolutions share one dedupe key and one primary key, so a hold can end only once and only one way. */
async function resolve(
  db: Queryable,
  subject: HoldSubject,
  resolution: 'taken' | 'released',
  kind: 'payout' | 'release',
  lines: Parameters<typeof postTransfer>[1]['lines'],
): Promise<boolean> {
  const dedupeKey = `resolve:${subject.transactionId}`;
  const posted = await postTransfer(db, {
    kind,
    currency: subject.currency,
    transactionId: subject.transactionId,
    dedupeKey,
    reference: subject.reference,
    lines,
  });
  if (!posted) return false;
  await db.query(
    `INSERT INTO hold_resolutions (transaction_id, resolution, transfer_id)
     SELECT $1, $2, id FROM transfers WHERE dedupe_key = $3`,
    [subject.transactionId, resolution, dedupeKey],
  );
  return true;
}
