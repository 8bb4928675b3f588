import { formatMoney, minor } from '../domain/money.ts';
import { railOf } from '../domain/show.ts';
import {
  type BilledTransaction,
  type CollectionTransaction,
  isBilled,
  type PayoutTransaction,
  type Transaction,
} from '../domain/transaction.ts';

/** Why a payment is still pending, or that it was cancelled, in words; undefined in the other states. */
export function paymentStatusReason(transaction: CollectionTransaction, now: Date): string | undefined {
  if (transaction.status === 'cancelled') return "Cancelled at the merchant's request";
  if (transaction.status !== 'pending') return undefined;
  if (isBilled(transaction)) return billStatusReason(transaction, now);
  if (transaction.attention) return LOOKED_INTO;
  if (transaction.handedOverAt === null) return 'The customer is being asked to confirm the payment';
  if (transaction.isUnclear) return unclearPush(transaction, now);
  const until = transaction.promptExpiresAt;
  if (until !== null && Date.parse(until) > now.getTime()) {
    return `Waiting for the customer to enter the PIN, until ${toSeconds(until)}`;
  }
  return notConfirmed('network', transaction, now);
}

/** Why a payout is still pending, or that it was cancelled and what came back, in words. */
export function payoutStatusReason(transaction: PayoutTransaction, now: Date): string | undefined {
  if (transaction.status === 'cancelled') {
    const total = minor(transaction.amount + transaction.fee);
    return `Cancelled at the merchant's request; ${formatMoney(total)} returned to the balance`;
  }
  if (transaction.status !== 'pending') return undefined;
  if (transaction.attention) return LOOKED_INTO;
  const to = railOf(transaction);
  const { waitsUntil } = transaction;
  if (waitsUntil !== null) return `The ${to} is not available; waiting for it until ${toSeconds(waitsUntil)}`;
  if (transaction.handedOverAt === null) return `Waiting to be handed to the ${to}`;
  if (transaction.nextEnquiryAt === null) return `Handed to the ${to}, waiting for its confirmation`;
  return notConfirmed(to, transaction, now);
}

/** What a bill waits for is always clear: odd money beside it is looked into without it. */
function billStatusReason({ mode, amount, bill }: BilledTransaction, now: Date): string {
  if (bill.payments > 0) return `${formatMoney(bill.paid)} of ${formatMoney(amount)} paid`;
  if (Date.parse(bill.expiresAt) <= now.getTime()) return 'The time to pay it is over; it is being closed';
  switch (mode) {
    case 'qr':
      return 'Waiting for the customer to scan and pay';
    case 'billpay':
      return `Waiting for the customer to pay control number ${bill.controlNumber}`;
  }
}

const LOOKED_INTO = 'The outcome is not clear yet; a person is looking into it';

/** The prompt may be on the phone, and it may be answered already. */
function unclearPush(transaction: Transaction, now: Date): string {
  const unclear = 'It is not clear whether the network took the request; the customer may have paid';
  const { nextEnquiryAt } = transaction;
  if (nextEnquiryAt === null || Date.parse(nextEnquiryAt) <= now.getTime())
    return `${unclear}; the network is being asked`;
  return `${unclear}; next enquiry at ${toSeconds(nextEnquiryAt)}`;
}

/** An enquiry whose time has passed is under way. A time in the past is never promised. */
function notConfirmed(by: 'network' | 'bank', { nextEnquiryAt }: Transaction, now: Date): string {
  if (nextEnquiryAt === null || Date.parse(nextEnquiryAt) <= now.getTime())
    return `The ${by} has not confirmed yet; it is being asked`;
  return `The ${by} has not confirmed yet; next enquiry at ${toSeconds(nextEnquiryAt)}`;
}

function toSeconds(timestamp: string): string {
  return `${timestamp.slice(0, 19)}Z`;
}
