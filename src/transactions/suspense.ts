import type { Queryable } from '../db/pool.ts';
import type { Succeeded } from '../domain/channel.ts';
import { formatMoney } from '../domain/money.ts';
import type { Transaction } from '../domain/transaction.ts';
import { postSuspense } from '../ledger/movement.ts';
import { type AttentionReason, raiseAttention } from './attention.ts';

/** A success is ours only when amount and currency are (docs/architecture.md, words). */
export function isOurs(transaction: Transaction, success: Succeeded): boolean {
  return success.amount === transaction.amount && success.currency === transaction.currency;
}

/**
 * Money moved that the transaction cannot take (a late success, a wrong amount): never dropped and never silently
 * accepted, but posted to suspense and shown to a person. The same movement, reported again, posts nothing.
 */
export async function suspend(
  db: Queryable,
  transaction: Transaction,
  success: Succeeded,
  reason: AttentionReason & ('late_success' | 'wrong_amount'),
): Promise<void> {
  const receipt = success.channelReference ?? transaction.reference;
  const detail = `The channel moved ${formatMoney(success.amount)} ${success.currency} (${receipt}); the transaction is ${transaction.status} for ${formatMoney(transaction.amount)} ${transaction.currency}`;
  await raiseAttention(db, { transactionId: transaction.id, reason, detail });
  // A movement of nothing has no entry, and one in another currency has no ledger here: a person sees both.
  if (success.amount <= 0 || success.currency !== transaction.currency) return;
  await postSuspense(db, {
    transactionId: transaction.id,
    currency: transaction.currency,
    channel: transaction.channel,
    direction: transaction.type === 'payout' ? 'payout' : 'collection',
    amount: success.amount,
    receipt,
    note: detail,
  });
}
