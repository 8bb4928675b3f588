import { bankByBic } from './bank.ts';
import { outstandingOf } from './bill.ts';
import { formatMoney } from './money.ts';
import { showMsisdn } from './msisdn.ts';
import { networkNameOf } from './network.ts';
import {
  type CollectionTransaction,
  isFinal,
  isPayout,
  kindOf,
  type MerchantTransaction,
  type PayoutTransaction,
  type TransactionOf,
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
  switch (transaction.mode) {
    case 'ussd':
    case 'billpay':
    case 'qr':
      return networkNameOf(transaction.channel);
    case 'mobile':
    case 'refund':
      return transaction.channel;
    case 'bank':
      return bankByBic(transaction.bic)?.value ?? transaction.channel;
  }
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

/** Whom a payout pays: the same members in lookups, lists and callbacks. */
export function showBeneficiary(transaction: PayoutTransaction) {
  switch (transaction.mode) {
    case 'mobile':
    case 'refund':
      return {
        phone_number: showMsisdn(transaction.msisdn),
        phone_network: transaction.channel,
        full_name: transaction.fullName,
      };
    case 'bank':
      return {
        bank_account: transaction.accountNumber,
        bank_name: bankByBic(transaction.bic)?.name ?? transaction.bic,
        bank_bic: transaction.bic,
      };
  }
}

/** The payment that a refund gives back; undefined for every other payout. */
export function showRefundOf(transaction: PayoutTransaction): string | undefined {
  return transaction.mode === 'refund' ? transaction.refundOf : undefined;
}

/** What stands on the other side, as a merchant's sentence calls it. */
export function railOf(transaction: MerchantTransaction): 'bank' | 'network' {
  return kindOf(transaction).party === 'bank' ? 'bank' : 'network';
}

/** Of a bill only: the control number of a QR code is inside the code and is never typed. */
export function showBill(transaction: MerchantTransaction) {
  switch (transaction.mode) {
    case 'billpay':
      return billOf(transaction);
    case 'ussd':
    case 'qr':
    case 'mobile':
    case 'bank':
    case 'refund':
      return undefined;
  }
}

function billOf({ bill, amount }: TransactionOf<'billpay'>) {
  return {
    amount: formatMoney(amount),
    reference: bill.controlNumber,
    mode: bill.mode,
    payment_number: bill.paymentNumber,
    paid: formatMoney(bill.paid),
    outstanding: formatMoney(outstandingOf(bill, amount)),
  };
}

export function showPhone({ msisdn }: { msisdn: string | null }): string | null {
  return msisdn === null ? null : showMsisdn(msisdn);
}
