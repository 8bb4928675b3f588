import type { Queryable } from '../db/pool.ts';
import type { AttentionReason } from '../domain/attention.ts';
import type { Succeeded } from '../domain/channel.ts';
import type { FailureCode } from '../domain/failure.ts';
import { formatMoney } from '../domain/money.ts';
import { kindOf, type Transaction } from '../domain/transaction.ts';
import { isInSuspense, postSuspense } from '../ledger/suspense.ts';
import { raiseAttention } from './attention.ts';
import { isUnconfirmed, noteAnswer } from './decisions.ts';

/** A success is ours only when amount and currency are (docs/architecture.md, words). */
export function isOurs(transaction: Transaction, success: Succeeded): boolean {
  return success.amount === transaction.amount && success.currency === transaction.currency;
}

/**
 * A success that does not end its transaction: its amount is another one, the transaction ended otherwise, or its
 * receipt says that it is another movement. False when the movement that ended the transaction is reported again.
 */
export async function takeLateSuccess(
  db: Queryable,
  transaction: Transaction,
  success: Succeeded,
): Promise<boolean> {
  const { status, channelReference: known } = transaction;
  const another = known !== null && success.channelReference !== null && success.channelReference !== known;
  const isOther = !isOurs(transaction, success);
  const isOwn = (status === 'completed' || status === 'paid') && !another && !isOther;
  if (isOwn) {
    await confirm(db, transaction, success);
    return bookAgain(db, transaction, success);
  }
  await suspend(db, transaction, success, isOther ? 'wrong_amount' : 'late_success');
  if (!isOther) await noteAnswer(db, transaction.id, 'contradicted');
  return true;
}

/** Operators may have decided it before the channel said so. From now on any other receipt is another movement. */
async function confirm(db: Queryable, transaction: Transaction, success: Succeeded): Promise<void> {
  if (transaction.channelReference === null && success.channelReference !== null)
    await db.query(
      'UPDATE transactions SET channel_reference = $2 WHERE id = $1 AND channel_reference IS NULL',
      [transaction.id, success.channelReference],
    );
  await noteAnswer(db, transaction.id, 'confirmed');
}

/**
 * The books had taken the money back, because the channel reported a failure after people had decided (`takeLateFailure`).
 * It moved after all: clearing says so again, against an item that is the opposite of the first one. Whoever released one
 * of them alone would pay twice, so a person is told. False where nothing was taken back.
 */
async function bookAgain(db: Queryable, transaction: Transaction, success: Succeeded): Promise<boolean> {
  const { id: transactionId, channel, reference } = transaction;
  const { amount, currency } = success;
  const [failure, receipt] = [failureOf(transaction), `succeeded:${reference}`];
  if (!(await isInSuspense(db, { channel, receipt: failure }))) return false;
  const { direction } = kindOf(transaction);
  const note = `The channel moved ${formatMoney(amount)} ${currency} (${success.channelReference ?? 'no receipt'}) after it had reported a failure: ${failure} and ${receipt} leave suspense in the same way, neither without the other`;
  if (await postSuspense(db, { transactionId, currency, channel, direction, amount, receipt, note }))
    await raiseAttention(db, { transactionId, reason: 'late_success', detail: note });
  return true;
}

/** The item of what the books took back. */
const failureOf = ({ reference }: Transaction) => `failed:${reference}`;

/**
 * A failure of a transaction that is final. After a success a person is told. Where only people had said that it
 * succeeded, no money moved at the channel: what the books say of it goes back to clearing, against suspense.
 */
export async function takeLateFailure(
  db: Queryable,
  transaction: Transaction,
  code: FailureCode,
): Promise<void> {
  const wasDecided = await isUnconfirmed(db, transaction.id);
  if (transaction.status === 'failed' || transaction.status === 'cancelled')
    return noteAnswer(db, transaction.id, 'confirmed');
  const detail = `The channel reported a failure (${code}) after the transaction was ${transaction.status}`;
  const reason = 'conflicting_failure';
  await raiseAttention(db, { transactionId: transaction.id, reason, detail });
  if (!wasDecided) return;
  await noteAnswer(db, transaction.id, 'contradicted');
  await postSuspense(db, {
    transactionId: transaction.id,
    currency: transaction.currency,
    channel: transaction.channel,
    direction: kindOf(transaction).direction === 'payout' ? 'collection' : 'payout',
    amount: transaction.amount,
    receipt: failureOf(transaction),
    note: `${detail} by a decision`,
  });
}

/**
 * Money moved that the transaction cannot take (a late success, a wrong amount). It is posted to suspense and shown to
 * a person; it is never dropped and never accepted silently. The same movement, reported again, posts nothing.
 */
async function suspend(
  db: Queryable,
  transaction: Transaction,
  success: Succeeded,
  reason: AttentionReason & ('late_success' | 'wrong_amount'),
): Promise<void> {
  const receipt = success.channelReference ?? transaction.reference;
  const detail = `The channel moved ${formatMoney(success.amount)} ${success.currency} (${receipt}); the transaction is ${transaction.status} for ${formatMoney(transaction.amount)} ${transaction.currency}`;
  await raiseAttention(db, { transactionId: transaction.id, reason, detail });
  await postSuspense(db, {
    transactionId: transaction.id,
    currency: success.currency,
    channel: transaction.channel,
    direction: kindOf(transaction).direction,
    amount: success.amount,
    // A network numbers its receipts. Each bank numbers its own, so two banks may use one number for two movements.
    receipt: transaction.mode === 'bank' ? `${transaction.connection}:${receipt}` : receipt,
    note: detail,
  });
}
