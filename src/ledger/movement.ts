import type { Queryable } from '../db/pool.ts';
import type { Minor } from '../domain/money.ts';
import { postOnce } from './transfer.ts';

type Subject = { transactionId: string; currency: string; channel: string };

type Credit = Subject & { accountId: string; value: Minor; fee: Minor };

/**
 * A collection succeeded: clearing → available (value), and of it the fee → fees. `receipt` is null where the channel
 * named none.
 */
export function postCollection(db: Queryable, subject: Credit & { receipt: string | null }): Promise<void> {
  const dedupeKey = `collection:${subject.transactionId}`;
  return postOnce(db, { ...collection(subject), dedupeKey, reference: subject.receipt });
}

/** A payment of a bill was accepted: the same, once per receipt. `space`: in which it is a number. */
export function postBillPayment(
  db: Queryable,
  subject: Credit & { space: string; receipt: string },
): Promise<void> {
  const { transactionId, space, receipt } = subject;
  const dedupeKey = `collection:${transactionId}:${space}:${receipt}`;
  return postOnce(db, { ...collection(subject), dedupeKey, reference: receipt });
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

/** The bank returned a paid payout: clearing → available. The fee stays taken: the transfer was made. */
export function postReturn(
  db: Queryable,
  subject: Subject & { accountId: string; reference: string; amount: Minor },
): Promise<void> {
  return postOnce(db, {
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
