import { randomUUID } from 'node:crypto';
import type { Queryable } from '../db/pool.ts';
import type { Minor } from '../domain/money.ts';
import type { LedgerAccount } from './accounts.ts';
import { takeItem } from './line-postings.ts';
import { postOnce } from './transfer.ts';

type Subject = { transactionId: string; currency: string; channel: string };

type Credit = Subject & { accountId: string; value: Minor; fee: Minor };

/**
 * A collection succeeded: clearing → available (value), and of it the fee → fees. `receipt` is null where the channel
 * named none. `item`: its money is in suspense already, because a statement showed it first, and comes from there.
 */
export async function postCollection(
  db: Queryable,
  subject: Credit & { receipt: string | null; item?: string | null },
): Promise<void> {
  const { receipt: reference, item = null } = subject;
  const id = randomUUID();
  if (item !== null) await takeItem(db, item, id);
  const dedupeKey = `collection:${subject.transactionId}`;
  await postOnce(db, { id, ...collection(subject, item !== null), dedupeKey, reference });
}

/** A payment of a bill was accepted: the same, once per receipt. `space`: in which it is a number. */
export async function postBillPayment(
  db: Queryable,
  subject: Credit & { space: string; receipt: string; item: string | null },
): Promise<void> {
  const { transactionId, space, receipt, item } = subject;
  const id = randomUUID();
  if (item !== null) await takeItem(db, item, id);
  const dedupeKey = `collection:${transactionId}:${space}:${receipt}`;
  await postOnce(db, { id, ...collection(subject, item !== null), dedupeKey, reference: receipt });
}

function collection(
  { transactionId, currency, channel, accountId, value, fee }: Credit,
  isSuspended = false,
) {
  const from: LedgerAccount = isSuspended ? { kind: 'suspense' } : { kind: 'clearing', channel };
  return {
    kind: 'collection' as const,
    currency,
    transactionId,
    lines: [
      { account: from, amount: -value },
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
