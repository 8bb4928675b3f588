import { bankByBic } from './bank.ts';
import { outstandingOf } from './bill.ts';
import { formatMoney } from './money.ts';
import { showMsisdn } from './msisdn.ts';
import { networkNameOf } from './network.ts';
import { isFinal, type Transaction } from './transaction.ts';

/** Parts of a transaction as merchants read them: the same in answers and in callbacks, for one code to read. */

/** A payment's network in upper case; a wallet payout's as an id, a bank payout's as the bank's `value`. */
export function showChannel(transaction: Transaction) {
  const { type, channel } = transaction;
  const name = type === 'payout' ? (bankOf(transaction)?.value ?? channel) : networkNameOf(channel);
  return { name, reference: shownReference(transaction) };
}

/**
 * The channel's own, else the one we sent, under which the network knows it. Null for a payment that is pending without
 * one of the channel's, and for one that never reached the channel.
 */
function shownReference(transaction: Transaction): string | null {
  const { type, status, channelReference, reference, handedOverAt, failureCode } = transaction;
  if (channelReference !== null || type === 'payout') return channelReference ?? reference;
  const reachedIt = handedOverAt !== null && failureCode !== 'network_unavailable';
  return isFinal(status) && reachedIt ? reference : null;
}

export function showBeneficiary(transaction: Transaction) {
  if (transaction.mode === 'mobile') {
    return {
      phone_number: showPhone(transaction),
      phone_network: transaction.channel,
      full_name: transaction.fullName,
    };
  }
  return {
    bank_account: transaction.accountNumber,
    bank_name: bankOf(transaction)?.name ?? transaction.bic,
    bank_bic: transaction.bic,
  };
}

/** Of a bill only: the control number of a QR code is inside the code, and nobody types it. */
export function showBill({ type, bill, amount }: Transaction) {
  if (type !== 'bill' || bill === null) return undefined;
  return {
    amount: formatMoney(amount),
    reference: bill.controlNumber,
    mode: bill.mode,
    payment_number: bill.paymentNumber,
    paid: formatMoney(bill.paid),
    outstanding: formatMoney(outstandingOf(bill, amount)),
  };
}

export function showPhone({ msisdn }: Pick<Transaction, 'msisdn'>): string | null {
  return msisdn === null ? null : showMsisdn(msisdn);
}

export function bankOf({ bic }: Transaction) {
  return bic === null ? undefined : bankByBic(bic);
}
