import { insertCallbackEvent } from '../../callbacks/event.ts';
import type { Notification } from '../../domain/channel.ts';
import { BrokenInvariant } from '../../domain/errors.ts';
import { isSameName } from '../../domain/receipt.ts';
import { connectionOf, isFinal, isMerchants, kindOf, type Transaction } from '../../domain/transaction.ts';
import { backItemOf, knownBy, type TakenBack } from '../../ledger/booked.ts';
import { postReturn } from '../../ledger/movement.ts';
import { postSuspense } from '../../ledger/suspense-postings.ts';
import { assignItem, itemLike } from '../../ledger/suspense-receipts.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { update } from '../../platform/db/write.ts';
import { raiseAttention } from '../care/attention.ts';
import { noteAnswer } from '../care/decisions.ts';
import { takeLateFailure, takenBackOf, wasReturned } from '../odd-money/suspense.ts';
import { getTransaction } from '../rows/store.ts';

export type ReturnContent = Notification['content'] & { kind: 'returned' };

/** `ignored`: it only repeats the failure of a failed transaction. */
type ReturnState = 'unapplied' | 'applied' | 'contradicting' | 'ignored';

/**
 * Handles money that a channel gave back. The value of a paid payout goes to the merchant's balance; its
 * status stays `paid` (docs/decisions/0003). Any other return goes to suspense: one of another amount, a
 * second one, or one of an unpaid payout or a payback. A returned payment becomes a negative item, because
 * the merchant was credited. Nothing moves if a failure has already put the money back. The return of a
 * pending transaction stays `unapplied` until its end. A person is notified.
 */
export async function takeReturn(
  db: Queryable,
  transaction: Transaction,
  returned: ReturnContent,
): Promise<ReturnState> {
  const { direction } = kindOf(transaction);
  const backwards = direction === 'payout' ? 'collection' : 'payout';
  const { orFailed } = returned;
  if (orFailed !== undefined && transaction.status !== kindOf(transaction).success) {
    if (!isFinal(transaction.status)) return 'unapplied';
    const { amount, currency } = returned;
    // Without a late success nothing can have come back.
    if ((await itemLike(db, { transactionId: transaction.id, direction, amount, currency })) === null) {
      await takeLateFailure(db, transaction, orFailed);
      return 'ignored';
    }
  }
  const who = transaction.channel === 'bank' ? 'The bank' : 'The channel';
  const what = direction === 'payout' ? `${who} returned the payout` : 'The payer has the payment back';
  const detail = `${what}: ${returned.reason}`;
  // Each bank numbers its own returns, so our reference is part of the name.
  const numbers = [transaction.reference, returned.channelReference].filter((name) => name !== null);
  const receipt = `return:${numbers.join(':')}`;
  await raiseAttention(db, { transactionId: transaction.id, reason: 'returned', detail, thing: receipt });
  if (transaction.status === 'pending') return 'unapplied';
  const subject = {
    transactionId: transaction.id,
    currency: returned.currency,
    channel: transaction.channel,
    connection: connectionOf(transaction),
    amount: returned.amount,
  };
  const matches = returned.amount === transaction.amount && returned.currency === transaction.currency;
  const takenBack = await takenBackOf(db, transaction);
  const told = await toldBackBefore(db, transaction, returned);
  const isItem = takenBack !== null && matches && told === null;
  if (isItem && !(await isOfAnother(db, transaction, takenBack, returned))) return 'contradicting';
  const isFirst = takenBack === null && transaction.returnedAt === null;
  const { channelReference: number } = returned;
  // Another bank's return may have this number.
  const isReceipt =
    number !== null && (await knownBy(db, { ...subject, receipt: number, direction: backwards })) === null;
  const names = number === null ? [] : [{ name: number, isReceipt }];
  if (!isMerchants(transaction) || transaction.status !== 'paid' || !matches || !isFirst) {
    const kind = 'reversal';
    const back = {
      ...subject,
      direction: backwards,
      receipt,
      isOurs: true,
      names,
      kind,
      note: detail,
    } as const;
    if (told === null) await postSuspense(db, back);
    return 'contradicting';
  }
  await db.query(
    `UPDATE transactions SET returned_at = moment.at, return_reason = $2, updated_at = moment.at
     FROM (SELECT clock_timestamp() AS at) moment WHERE id = $1`,
    [transaction.id, returned.reason],
  );
  // Money that came back was paid before, so operators who decided "paid" were right.
  await noteAnswer(db, transaction.id, 'confirmed');
  const after = await getTransaction(db, transaction.id);
  if (!after || !isMerchants(after)) throw new BrokenInvariant('the row we hold the lock of is gone');
  await insertCallbackEvent(db, after, 'payout.returned');
  const { accountId, reference } = transaction;
  if (told === null || told.isOpen)
    await postReturn(db, { ...subject, accountId, reference, names, item: told?.id ?? null });
  return 'applied';
}

/** True if the booked reversal belongs to another return. */
async function isOfAnother(
  db: Queryable,
  transaction: Transaction,
  { shown }: TakenBack,
  { channelReference }: ReturnContent,
): Promise<boolean> {
  const line = shown?.receipt ?? null;
  if (line !== null && channelReference !== null && !isSameName(line, channelReference)) return true;
  return channelReference !== null && (await wasReturned(db, transaction, channelReference));
}

/** Finds an earlier booking or line of this return: by its number, else by transaction and amount. */
async function toldBackBefore(
  db: Queryable,
  transaction: Transaction,
  { amount, currency, channelReference }: ReturnContent,
): Promise<{ id: string; isOpen: boolean } | null> {
  const direction = kindOf(transaction).direction === 'payout' ? 'collection' : 'payout';
  const back = { direction, amount, currency, transactionId: transaction.id } as const;
  const { channel } = transaction;
  const asked = { direction, channel, connection: connectionOf(transaction) } as const;
  const known = channelReference === null ? null : await knownBy(db, { ...asked, receipt: channelReference });
  const isIts = known?.transactionId === null || known?.transactionId === transaction.id;
  if (known && isIts && Math.abs(known.amount) === amount && known.currency === currency) {
    if (known.item) {
      await assignItem(db, known.item.id, transaction.id);
      return known.item;
    }
    // It is booked already: the channel repeats it, or two operators gave an item back with it.
    if (known.isBack || known.transactionId === transaction.id) return { id: known.id, isOpen: false };
  }
  return backItemOf(db, back);
}

/** A stored notification that waits for its transaction to end. */
export type WaitingReturn = { id: number; content: ReturnContent };

/** Applies earlier returns in the transaction that ends it, under the row lock. */
export async function applyWaitingReturns(
  db: Queryable,
  { id }: Transaction,
  waiting: readonly WaitingReturn[],
): Promise<void> {
  for (const one of waiting) {
    // Read the row again: the previous return may have changed it.
    const now = await getTransaction(db, id);
    if (!now) throw new BrokenInvariant('the row we hold the lock of is gone');
    const state = await takeReturn(db, now, one.content);
    await update(db, 'notifications', { state }, { id: one.id });
  }
}
