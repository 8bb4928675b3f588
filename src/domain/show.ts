import { bankByBic } from './bank.ts';
import { outstandingOf } from './bill.ts';
import { formatMoney } from './money.ts';
import { showMsisdn } from './msisdn.ts';
import { networkNameOf } from './network.ts';
import { partyOf } from './party.ts';
import {
  type BillTransaction,
  type CollectionTransaction,
  isBill,
  isBilled,
  isFinal,
  isPayout,
  type MerchantTransaction,
  type PayoutTransaction,
} from './transaction.ts';

/** Parts of a transaction as merchants read them: the same in answers and in callbacks, for one code to read. */

/** A payment's network in upper case; a wallet payout's as an id, a bank payout's as the bank's `value`. */
export function showChannel(transaction: MerchantTransaction) {
  return isPayout(transaction)
    ? showPayoutChannel(transaction)
    : { name: channelNameOf(transaction), reference: paymentReference(transaction) };
}

/** A payout always has a reference that its channel knows: the channel's own, else ours. */
export function showPayoutChannel(transaction: PayoutTransaction) {
  const { channelReference, reference } = transaction;
  return { name: channelNameOf(transaction), reference: channelReference ?? reference };
}

function channelNameOf(transaction: MerchantTransaction): string {
  if (!isPayout(transaction)) return networkNameOf(transaction.channel);
  const party = partyOf(transaction);
  return (party.kind === 'bank' && bankByBic(party.bic)?.value) || transaction.channel;
}

/**
 * The channel's own, else the one we sent, under which the network knows it. Null for a payment that is pending without
 * one of the channel's, and for one that never reached the channel.
 */
function paymentReference(transaction: CollectionTransaction): string | null {
  const { status, channelReference, reference, handedOverAt, failureCode } = transaction;
  if (channelReference !== null) return channelReference;
  const reachedIt = handedOverAt !== null && failureCode !== 'network_unavailable';
  return isFinal(status) && reachedIt ? reference : null;
}

/** The recipient of a payout: the same members in lookups, lists and callbacks. */
export function showBeneficiary(transaction: PayoutTransaction) {
  const party = partyOf(transaction);
  if (party.kind === 'bank')
    return {
      bank_account: party.accountNumber,
      bank_name: bankByBic(party.bic)?.name ?? party.bic,
      bank_bic: party.bic,
    };
  return {
    phone_number: showMsisdn(party.msisdn),
    phone_network: transaction.channel,
    full_name: transaction.fullName,
  };
}

/** The payment that a refund gives back; undefined for every other payout. */
export function showRefundOf(transaction: PayoutTransaction): string | undefined {
  return 'refundOf' in transaction ? transaction.refundOf : undefined;
}

/** The other side, as a merchant's sentence calls it. */
export function railOf(transaction: MerchantTransaction): 'bank' | 'network' {
  return partyOf(transaction).kind === 'bank' ? 'bank' : 'network';
}

/** Of a bill only: the control number of a QR code is inside the code and is never typed. */
export function showBill(transaction: MerchantTransaction) {
  return isBill(transaction) ? billOf(transaction) : undefined;
}

function billOf({ bill, amount }: BillTransaction) {
  return {
    amount: formatMoney(amount),
    reference: bill.controlNumber,
    mode: bill.mode,
    payment_number: bill.paymentNumber,
    paid: formatMoney(bill.paid),
    outstanding: formatMoney(outstandingOf(bill, amount)),
  };
}

/** Of a payment of a standing number: which one was paid. */
export function showNumber(transaction: MerchantTransaction) {
  if (!isBilled(transaction) || !('numberId' in transaction.bill)) return undefined;
  const { numberId: id, controlNumber: reference, paymentNumber } = transaction.bill;
  return { id, reference, customer_reference: paymentNumber };
}

export function showPhone({ msisdn }: { msisdn: string | null }): string | null {
  return msisdn === null ? null : showMsisdn(msisdn);
}
