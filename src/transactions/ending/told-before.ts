import { addNames, type Known, knownBy, lockOpen, toldNames } from '../../ledger/booked.ts';
import { itemOfReceipt } from '../../ledger/suspense-receipts.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { BillNotification } from '../rows/bill-receipts.ts';
import type { Billed } from './billed.ts';

/**
 * Finds an earlier report of this money. Skips the payment of a push, which `tryToEnd` has checked. A payment
 * without a receipt is known only by the open item of a line that names its control number.
 */
export async function toldBefore(db: Queryable, payment: BillNotification): Promise<Known | null> {
  const { prompt = null, isOurs = false, hasReceipt = true, connection, receipt, channel } = payment;
  if (prompt !== null || (isOurs && hasReceipt)) return null;
  const asked = { channel, connection, receipt, direction: 'collection' } as const;
  const known = await knownBy(db, asked, payment);
  if (!hasReceipt && known?.item?.isOpen !== true) return null;
  // A statement line made this movement, so the names of this report are missing.
  const names = [receipt, ...(payment.alsoKnownAs ?? [])];
  const told = hasReceipt
    ? { ...payment, channelReference: receipt }
    : { channelReference: null, alsoKnownAs: names };
  if (known?.item?.isOfLine && isSameMoney(known, payment)) await addNames(db, toldNames(known.id, told));
  return known;
}

export const isSameMoney = (told: Known, { amount, currency }: BillNotification) =>
  told.amount === amount && told.currency === currency;

/** True if a push or top-up already has this money. An unreadable amount (null) counts as equal. */
export const isElsewhere = (told: Known, payment: BillNotification) =>
  told.item === null && (payment.amount === null || isSameMoney(told, payment));

/** Returns the open item that a statement line made of this money, unless another bill owns it. */
export function itemFor(bill: Billed | null, told: Known | null): string | null {
  const isFree =
    told?.transactionId === null ||
    (bill && 'transaction' in bill && told?.transactionId === bill.transaction.id);
  return told?.item?.isOpen && told.item.isOfLine && isFree ? told.item.id : null;
}

/** The first report had no readable amount, but two operators or a statement have said this one since. */
export async function isBooked(db: Queryable, payment: BillNotification): Promise<boolean> {
  const item = await itemOfReceipt(db, payment);
  // Operators may be saying so now.
  if (item) await lockOpen(db, item.id);
  const told = await knownBy(db, { ...payment, direction: 'collection' });
  return told !== null && isSameMoney(told, payment);
}
