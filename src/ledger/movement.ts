import type { Queryable } from '../db/pool.ts';
import type { Direction } from '../domain/kinds.ts';
import type { Minor } from '../domain/money.ts';
import { ensureServiceAccounts } from './accounts.ts';
import { postTransfer } from './transfer.ts';

type Subject = { transactionId: string; currency: string; channel: string };

type Credit = Subject & { accountId: string; value: Minor; fee: Minor };

/**
 * A collection succeeded: clearing → available (value), and of it the fee → fees. `receipt` is null where the channel
 * named none. False when it was posted before.
 */
export function postCollection(
  db: Queryable,
  subject: Credit & { receipt: string | null },
): Promise<boolean> {
  const dedupeKey = `collection:${subject.transactionId}`;
  return postTransfer(db, { ...collection(subject), dedupeKey, reference: subject.receipt });
}

/** A payment of a bill was accepted: the same, once per receipt of its channel. */
export function postBillPayment(db: Queryable, subject: Credit & { receipt: string }): Promise<boolean> {
  const { transactionId, channel, receipt } = subject;
  const dedupeKey = `collection:${transactionId}:${channel}:${receipt}`;
  return postTransfer(db, { ...collection(subject), dedupeKey, reference: receipt });
}

function collection({ transactionId, currency, channel, accountId, value, fee }: Credit) {
  return {
    kind: 'collection' as const,
    currency,
    transactionId,
    lines: [
      { account: { kind: 'clearing' as const, channel }, amount: -value },
      { account: { kind: 'available' as const, accountId }, amount: value },
      { account: { kind: 'available' as const, accountId }, amount: -fee, isFee: true as const },
      { account: { kind: 'fees' as const }, amount: fee },
    ],
  };
}

/**
 * Money moved at the channel that no state of ours explains (a late success, a wrong amount): to suspense, where a
 * person finds it. `receipt` names the movement at the channel: the same movement is posted once however often it is
 * reported. Reported for two transactions, it counts for each: nothing else explains what either of them was told of.
 * Money of another currency is kept in accounts of that currency. False when nothing was posted: it was before, or it is
 * no money (nothing moved, or a currency that is none).
 */
export async function postSuspense(
  db: Queryable,
  subject: Omit<Subject, 'transactionId'> & {
    /** null: money for no transaction of ours */
    transactionId: string | null;
    direction: Direction;
    amount: Minor;
    receipt: string;
    note: string;
  },
): Promise<boolean> {
  const { currency, transactionId, channel, amount } = subject;
  if (amount <= 0 || !/^[A-Z]{3}$/.test(currency)) return false;
  await ensureServiceAccounts(db, [channel], currency);
  const cameIn = subject.direction === 'collection' ? amount : -amount;
  const dedupeKey = `suspense:${channel}:${subject.receipt}`;
  const transfer = {
    kind: 'suspense' as const,
    currency,
    transactionId,
    dedupeKey,
    reference: subject.receipt,
    note: subject.note,
    lines: [
      { account: { kind: 'clearing' as const, channel }, amount: -cameIn },
      { account: { kind: 'suspense' as const }, amount: cameIn },
    ],
  };
  if (await postTransfer(db, transfer)) return true;
  const { rows } = await db.query(
    'SELECT transaction_id IS NOT DISTINCT FROM $2 AS own FROM transfers WHERE dedupe_key = $1',
    [dedupeKey, transactionId],
  );
  return rows[0]?.own ? false : postTransfer(db, { ...transfer, dedupeKey: `${dedupeKey}:${transactionId}` });
}

/** The bank returned a paid payout: clearing → available. The fee stays taken: the transfer was made. */
export function postReturn(
  db: Queryable,
  subject: Subject & { accountId: string; reference: string; amount: Minor },
): Promise<boolean> {
  return postTransfer(db, {
    kind: 'reversal',
    currency: subject.currency,
    transactionId: subject.transactionId,
    dedupeKey: `return:${subject.transactionId}`,
    reference: subject.reference,
    lines: [
      { account: { kind: 'clearing', channel: subject.channel }, amount: -subject.amount },
      { account: { kind: 'available', accountId: subject.accountId }, amount: subject.amount },
    ],
  });
}
