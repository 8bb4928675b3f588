import type { Queryable } from '../db/pool.ts';
import type { Succeeded } from '../domain/channel.ts';
import { formatMoney } from '../domain/money.ts';
import { kindOf, type Transaction } from '../domain/transaction.ts';
import { postSuspense } from '../ledger/movement.ts';
import { type AttentionReason, raiseAttention } from './attention.ts';

/** A success is ours only when amount and currency are (docs/architecture.md, words). */
export function isOurs(transaction: Transaction, success: Succeeded): boolean {
  return success.amount === transaction.amount && success.currency === transaction.currency;
}

/**
 * A success that does not end its transaction: of another amount, of one that ended otherwise, or, by its receipt,
 * another movement than the one that ended it. False where it is that one, reported again.
 */
export async function takeLateSuccess(
  db: Queryable,
  transaction: Transaction,
  success: Succeeded,
): Promise<boolean> {
  const { status, channelReference: known } = transaction;
  const another = known !== null && success.channelReference !== null && success.channelReference !== known;
  const isOther = !isOurs(transaction, success);
  if ((status === 'completed' || status === 'paid') && !another && !isOther) return false;
  await suspend(db, transaction, success, isOther ? 'wrong_amount' : 'late_success');
  return true;
}

/**
 * Money moved that the transaction cannot take (a late success, a wrong amount): never dropped and never silently
 * accepted, but posted to suspense and shown to a person. The same movement, reported again, posts nothing.
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
    receipt,
    note: detail,
  });
}
