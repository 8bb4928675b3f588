import { bankByBic } from './bank.ts';
import { outstandingOf } from './bill.ts';
import { formatMoney } from './money.ts';
import { showMsisdn } from './msisdn.ts';
import { networkNameOf } from './network.ts';
import { partyOf } from './party.ts';
import { showBeside } from './payout.ts';
import {
  type BillTransaction,
  type CollectionTransaction,
  isBill,
  isBilled,
  isFinal,
  isPayout,
  type MerchantTransaction,
  type PayoutTransaction,
  type TransactionOf,
} from './transaction.ts';

/** Parts of a transaction for merchants, the same in answers and callbacks. */
type ShownPayout = {
  /** always a reference that the channel knows: its own, else ours */
  channel: { name: string; reference: string };
  beneficiary: ReturnType<typeof beneficiaryOf>;
  /** after the beneficiary, in lookups and callbacks */
  beside: ReturnType<typeof showBeside>;
  refund_of: string | undefined;
  bill: undefined;
  number: undefined;
};
type ShownPayment = {
  channel: { name: string; reference: string | null };
  beneficiary: undefined;
  beside: undefined;
  refund_of: undefined;
  bill: ReturnType<typeof billOf> | undefined;
  number: ReturnType<typeof numberOf> | undefined;
};

/** A payment's network is in upper case, a wallet payout's an id, a bank payout's the bank's `value`. */
export function show(transaction: PayoutTransaction): ShownPayout;
export function show(transaction: CollectionTransaction): ShownPayment;
export function show(transaction: MerchantTransaction): ShownPayout | ShownPayment;
export function show(transaction: MerchantTransaction): ShownPayout | ShownPayment {
  const name = channelNameOf(transaction);
  if (isPayout(transaction)) {
    const { channelReference, reference } = transaction;
    return {
      channel: { name, reference: channelReference ?? reference },
      beneficiary: beneficiaryOf(transaction),
      beside: showBeside(transaction),
      refund_of: 'refundOf' in transaction ? transaction.refundOf : undefined,
      bill: undefined,
      number: undefined,
    };
  }
  return {
    channel: { name, reference: paymentReference(transaction) },
    beneficiary: undefined,
    beside: undefined,
    refund_of: undefined,
    // A QR code contains its control number; nobody types it.
    bill: isBill(transaction) ? billOf(transaction) : undefined,
    number: isBilled(transaction) && 'numberId' in transaction.bill ? numberOf(transaction.bill) : undefined,
  };
}

function channelNameOf(transaction: MerchantTransaction): string {
  if (!isPayout(transaction)) return networkNameOf(transaction.channel);
  const party = partyOf(transaction);
  return (party.kind === 'bank' && bankByBic(party.bic)?.value) || transaction.channel;
}

function paymentReference(transaction: CollectionTransaction): string | null {
  const { status, channelReference, reference, handedOverAt, failureCode } = transaction;
  if (channelReference !== null) return channelReference;
  const reachedIt = handedOverAt !== null && failureCode !== 'network_unavailable';
  return isFinal(status) && reachedIt ? reference : null;
}

function beneficiaryOf(transaction: PayoutTransaction) {
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

export function railOf(transaction: MerchantTransaction): 'bank' | 'network' {
  return partyOf(transaction).kind === 'bank' ? 'bank' : 'network';
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

function numberOf({
  numberId: id,
  controlNumber: reference,
  paymentNumber,
}: TransactionOf<'number'>['bill']) {
  return { id, reference, customer_reference: paymentNumber };
}

export function showPhone({ msisdn }: { msisdn: string | null }): string | null {
  return msisdn === null ? null : showMsisdn(msisdn);
}
