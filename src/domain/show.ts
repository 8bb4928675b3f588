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
export type ShownPayout = {
  /** always a reference that the channel knows: its own, else ours */
  channel: { name: string; reference: string };
  beneficiary:
    | { bank_account: string; bank_name: string; bank_bic: string }
    | { phone_number: string; phone_network: string; full_name: string | null };
  /** after the beneficiary, in lookups and callbacks */
  beside: ReturnType<typeof showBeside>;
  refund_of: string | undefined;
  bill: undefined;
  number: undefined;
};
export type ShownPayment = {
  channel: { name: string; reference: string | null };
  beneficiary: undefined;
  beside: undefined;
  refund_of: undefined;
  bill: ReturnType<typeof billOf> | undefined;
  number: ReturnType<typeof numberOf> | undefined;
};

/** Names the channel: a payment's network in upper case, a wallet payout's by id, a bank by its `value`. */
export function show(transaction: PayoutTransaction): ShownPayout;
export function show(transaction: CollectionTransaction): ShownPayment;
export function show(transaction: MerchantTransaction): ShownPayout | ShownPayment;
export function show(transaction: MerchantTransaction): ShownPayout | ShownPayment {
  if (!isPayout(transaction))
    return {
      channel: { name: networkNameOf(transaction.channel), reference: paymentReference(transaction) },
      beneficiary: undefined,
      beside: undefined,
      refund_of: undefined,
      number:
        isBilled(transaction) && 'numberId' in transaction.bill ? numberOf(transaction.bill) : undefined,
      // A QR code contains its control number; nobody types it.
      bill: isBill(transaction) ? billOf(transaction) : undefined,
    };
  const { channel, channelReference, reference } = transaction;
  const party = partyOf(transaction);
  const bank = party.kind === 'bank' ? bankByBic(party.bic) : undefined;
  return {
    channel: { name: bank?.value ?? channel, reference: channelReference ?? reference },
    beneficiary:
      party.kind === 'bank'
        ? { bank_account: party.accountNumber, bank_name: bank?.name ?? party.bic, bank_bic: party.bic }
        : {
            phone_number: showMsisdn(party.msisdn),
            phone_network: channel,
            full_name: transaction.fullName,
          },
    beside: showBeside(transaction),
    refund_of: 'refundOf' in transaction ? transaction.refundOf : undefined,
    bill: undefined,
    number: undefined,
  };
}

function paymentReference(transaction: CollectionTransaction): string | null {
  const { status, channelReference, reference, handedOverAt, failureCode } = transaction;
  if (channelReference !== null) return channelReference;
  const reachedIt = handedOverAt !== null && failureCode !== 'network_unavailable';
  return isFinal(status) && reachedIt ? reference : null;
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
