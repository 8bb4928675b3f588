import { type Message, say } from '../../domain/messages.ts';
import { formatMoney, minor } from '../../domain/money.ts';
import { railOf } from '../../domain/show.ts';
import {
  type BilledTransaction,
  type CollectionTransaction,
  isBilled,
  type PayoutTransaction,
  type Transaction,
} from '../../domain/transaction.ts';

export function paymentStatusReason(transaction: CollectionTransaction, now: Date): Message | undefined {
  if (transaction.status === 'cancelled') return say('payment_cancelled');
  if (transaction.status !== 'pending') return undefined;
  if (isBilled(transaction)) return billStatusReason(transaction, now);
  if (transaction.attention) return say('looked_into');
  if (transaction.handedOverAt === null && !transaction.isUnclear) return say('push_being_sent');
  if (transaction.isUnclear) return unclearPush(transaction, now);
  const until = transaction.promptExpiresAt;
  if (until !== null && Date.parse(until) > now.getTime())
    return say('waiting_for_pin', { time: toSeconds(until) });
  return notConfirmed('network', transaction, now);
}

/** Says why a payout is pending, or cancelled and what came back; undefined for other states. */
export function payoutStatusReason(transaction: PayoutTransaction, now: Date): Message | undefined {
  if (transaction.status === 'cancelled') {
    const total = minor(transaction.amount + transaction.fee);
    return say('payout_cancelled', { amount: formatMoney(total) });
  }
  if (transaction.status !== 'pending') return undefined;
  if (transaction.attention) return say('looked_into');
  const rail = railOf(transaction);
  const channel = say(rail);
  const { waitsUntil } = transaction;
  if (waitsUntil !== null) return say('waiting_for_channel', { channel, time: toSeconds(waitsUntil) });
  if (transaction.handedOverAt === null && !transaction.isUnclear)
    return say('waiting_for_hand_over', { channel });
  // An unclear send may or may not have reached the network, so it is not called handed over.
  if (transaction.nextEnquiryAt === null && !transaction.isUnclear) return say('handed_over', { channel });
  return notConfirmed(rail, transaction, now);
}

/** A bill is never unclear: operators handle its odd money apart, and it stays payable. */
function billStatusReason({ mode, amount, bill }: BilledTransaction, now: Date): Message {
  if (bill.payments > 0)
    return say('paid_in_part', { paid: formatMoney(bill.paid), amount: formatMoney(amount) });
  if (Date.parse(bill.expiresAt) <= now.getTime()) return say('bill_being_closed');
  switch (mode) {
    case 'qr':
      return say('waiting_for_scan');
    case 'billpay':
    case 'number':
      return say('waiting_for_bill', { number: bill.controlNumber });
  }
}

/** The customer may have the prompt, and may have answered it already. */
function unclearPush(transaction: Transaction, now: Date): Message {
  const time = nextEnquiryOf(transaction, now);
  return time === null ? say('push_unclear_asked_now') : say('push_unclear_asked_at', { time });
}

function notConfirmed(by: 'network' | 'bank', transaction: Transaction, now: Date): Message {
  const channel = say(by);
  const time = nextEnquiryOf(transaction, now);
  return time === null
    ? say('not_confirmed_asked_now', { channel })
    : say('not_confirmed_asked_at', { channel, time });
}

/** Null if an enquiry is under way: its time has passed, and we never promise a past time. */
function nextEnquiryOf({ nextEnquiryAt: at }: Transaction, now: Date): string | null {
  return at === null || Date.parse(at) <= now.getTime() ? null : toSeconds(at);
}

function toSeconds(timestamp: string): string {
  return `${timestamp.slice(0, 19)}Z`;
}
