import { jsonText } from '../../base/json-text.ts';
import type {
  balanceAnswer,
  paymentLookup,
  payoutLookup,
  transactionItem,
} from '../../contract/answer-schemas.ts';
import type { JsonOf } from '../../contract/json-of.ts';
import type { entriesAnswer } from '../../contract/statement-schemas.ts';
import { bankByBic } from '../../domain/bank.ts';
import type { BillPayment } from '../../domain/bill.ts';
import { failureReasonOf } from '../../domain/failure.ts';
import { kinds } from '../../domain/kinds.ts';
import { say } from '../../domain/messages.ts';
import { formatMoney, minor, toUnits } from '../../domain/money.ts';
import { showMsisdn } from '../../domain/msisdn.ts';
import { networkNameOf } from '../../domain/network.ts';
import { partyOf } from '../../domain/party.ts';
import type { RefundSummary } from '../../domain/refund.ts';
import { show, showPhone } from '../../domain/show.ts';
import {
  type CollectionTransaction,
  isBilled,
  isPayout,
  type MerchantTransaction,
  type PayoutTransaction,
  paidBy,
} from '../../domain/transaction.ts';
import type { Balance, Entry } from '../../ledger/accounts.ts';
import { done } from '../kit/call.ts';
import { statusReasonOf } from './status-reason.ts';

/**
 * Only this file turns a transaction into JSON for merchants. It names every member, in the published order.
 * A member that does not apply is absent, not null.
 */

/** URLs of pages; undefined without pages. `receiptOf`: one payment of a bill. */
export type Addresses = {
  page?: string | undefined;
  receipt?: string | undefined;
  receiptOf?: (part: number) => string | undefined;
};

/** `now` only chooses the sentence of `status_reason`. `payments` (of a bill) and `refunds`: oldest first. */
export function presentPayment(
  transaction: CollectionTransaction,
  now: Date,
  payments: readonly BillPayment[] = [],
  refunds: readonly RefundSummary[] = [],
  addresses: Addresses = {},
): JsonOf<typeof paymentLookup> {
  const completed = transaction.status === 'completed';
  const { channel, bill, number } = show(transaction);
  return {
    ...done(say('payment_found')),
    status: transaction.status,
    payment: {
      transaction_id: transaction.id,
      transaction_mode: transaction.mode,
      transaction_currency: transaction.currency,
      channel,
      customer: customerOf(transaction),
      metadata: jsonText(transaction.metadata),
      amount: { value: formatMoney(transaction.amount) },
      created_at: transaction.createdAt,
      updated_at: transaction.updatedAt,
      timestamp: transaction.statusAt,
      event: transaction.event,
      fee: completed ? formatMoney(transaction.fee) : undefined,
      settled: completed ? formatMoney(settledOf(transaction)) : undefined,
      ...failureOf(transaction),
      status_reason: statusReasonOf(transaction, now),
      bill,
      pay_url: addresses.page,
      pays: paidBy(transaction) ?? undefined,
      number,
      description: isBilled(transaction) ? (transaction.bill.description ?? undefined) : undefined,
      payments: paymentsOf(transaction, payments, addresses.receiptOf),
      expires_at: expiryOf(transaction),
      refunded: refundedOf(transaction),
      refunds: transaction.refunded === null ? undefined : refunds.map(showRefund),
    },
    receipt_url: addresses.receipt,
  };
}

/** A payout that failed or was cancelled has no fee, method, recipient's channel or time of payment. */
export function presentPayout(
  transaction: PayoutTransaction,
  now: Date,
  receiptUrl?: string,
): JsonOf<typeof payoutLookup> {
  const made = transaction.status === 'pending' || transaction.status === 'paid';
  const { channel, beneficiary, beside, refund_of } = show(transaction);
  return {
    ...done(say('payout_found')),
    status: transaction.status,
    payout: {
      event: transaction.event,
      transaction_id: transaction.id,
      ...methodOf(transaction, made),
      paid_at: transaction.paidAt ?? undefined,
      ...failureOf(transaction),
      status_reason: statusReasonOf(transaction, now),
      transaction_currency: transaction.currency,
      payout_reference: transaction.reference,
      channel,
      beneficiary,
      ...beside,
      refund_of,
      reason: reasonOf(transaction),
      ...returnOf(transaction),
      created_at: transaction.createdAt,
      updated_at: transaction.updatedAt,
    },
    receipt_url: receiptUrl,
  };
}

type Method = Pick<
  JsonOf<typeof payoutLookup>['payout'],
  'transaction_method' | 'amount' | 'mobile' | 'bank'
>;

function methodOf(transaction: PayoutTransaction, made: boolean): Method {
  const value = formatMoney(transaction.amount);
  const none = { transaction_method: undefined, amount: { value, fee: undefined } };
  if (!made) return { ...none, mobile: undefined, bank: undefined };
  const amount = { value, fee: formatMoney(transaction.fee) };
  const party = partyOf(transaction);
  if (party.kind === 'wallet') {
    const mobile = { phone_number: showMsisdn(party.msisdn), network: transaction.channel };
    return { transaction_method: 'mobile', amount, mobile, bank: undefined };
  }
  const { accountNumber: account_number, bic } = party;
  const bank = { account_number, name: bankByBic(bic)?.name ?? bic, bic };
  return { transaction_method: 'ach', amount, mobile: undefined, bank };
}

/** Lists, past bank payouts and `GET transactions/{id}` show this. */
export function listItem(transaction: MerchantTransaction): JsonOf<typeof transactionItem> {
  const { channel, beneficiary, bill, number, refund_of } = show(transaction);
  return {
    transaction_id: transaction.id,
    type: kinds[transaction.mode].type,
    transaction_mode: transaction.mode,
    transaction_currency: transaction.currency,
    status: transaction.status,
    event: transaction.event,
    channel,
    amount: {
      value: formatMoney(transaction.amount),
      fee: isCharged(transaction) ? formatMoney(transaction.fee) : undefined,
      settled: transaction.status === 'completed' ? formatMoney(settledOf(transaction)) : undefined,
    },
    customer: isPayout(transaction) ? undefined : customerOf(transaction),
    beneficiary,
    reference: merchantsReferenceOf(transaction),
    bill,
    pays: paidBy(transaction) ?? undefined,
    number,
    ...failureOf(transaction),
    paid_at: transaction.paidAt ?? undefined,
    ...returnOf(transaction),
    refund_of,
    refunded: isPayout(transaction) ? undefined : refundedOf(transaction),
    metadata: jsonText(transaction.metadata),
    batch_id: transaction.batchId ?? undefined,
    created_at: transaction.createdAt,
    updated_at: transaction.updatedAt,
  };
}

export function presentBalance(balance: Balance, currency: string): JsonOf<typeof balanceAnswer> {
  return {
    ...done(say('balance_found')),
    currency,
    balance: { current: toUnits(balance.current), reserved: toUnits(balance.reserved) },
  };
}

/** `entries`: oldest first. */
export function presentEntries(transactionId: string, entries: Entry[]): JsonOf<typeof entriesAnswer> {
  return {
    ...done(say('entries_found')),
    transaction_id: transactionId,
    entries: entries.map((entry) => ({
      transfer_id: entry.transferId,
      kind: entry.kind,
      account: entry.account,
      amount: formatMoney(entry.amount),
      created_at: entry.createdAt,
    })),
  };
}

/** Payouts have our reference, bills and numbers the merchant's; other payments have none. */
function merchantsReferenceOf(transaction: MerchantTransaction): string | null {
  if (isPayout(transaction)) return transaction.reference;
  return isBilled(transaction) ? transaction.bill.paymentNumber : null;
}

function customerOf(transaction: CollectionTransaction) {
  return { full_name: transaction.fullName, phone_number: showPhone(transaction) };
}

/** Leaves out payments newer than the bill's reading, so that the list fits its sum. */
function paymentsOf(
  transaction: CollectionTransaction,
  payments: readonly BillPayment[],
  receiptOf: Addresses['receiptOf'],
): JsonOf<typeof paymentLookup>['payment']['payments'] {
  switch (transaction.mode) {
    case 'ussd':
    case 'qr':
    case 'number':
      return undefined;
    case 'billpay':
      return payments.slice(0, transaction.bill.payments).map((payment) => ({
        amount: {
          value: formatMoney(payment.amount),
          fee: formatMoney(payment.fee),
          settled: formatMoney(minor(payment.amount - payment.fee)),
        },
        channel: { name: networkNameOf(payment.channel), reference: payment.receipt },
        customer: { full_name: payment.fullName, phone_number: showPhone(payment) },
        received_at: payment.receivedAt,
        receipt_url: receiptOf?.(payment.number),
      }));
  }
}

/** A final QR code shows no expiry; a bill always shows its own. */
function expiryOf(transaction: CollectionTransaction): string | undefined {
  switch (transaction.mode) {
    case 'billpay':
      return transaction.bill.expiresAt;
    case 'qr':
      return transaction.status === 'pending' ? transaction.bill.expiresAt : undefined;
    case 'ussd':
    case 'number':
      return undefined;
  }
}

/** True if a fee was or will be taken. An expired bill that was paid in part keeps money and fees. */
function isCharged(transaction: MerchantTransaction): boolean {
  if (transaction.fee === 0) return false;
  const unsuccessful = transaction.status === 'failed' || transaction.status === 'cancelled';
  return !unsuccessful || (isBilled(transaction) && transaction.bill.payments > 0);
}

function failureOf({ status, failureCode }: MerchantTransaction) {
  const code = status === 'failed' ? failureCode : null;
  return {
    failure_reason: code === null ? undefined : failureReasonOf(code),
    failure_code: code ?? undefined,
  };
}

function returnOf(transaction: MerchantTransaction) {
  return {
    returned_at: transaction.returnedAt ?? undefined,
    return_reason: transaction.returnReason ?? undefined,
  };
}

function refundedOf({ refunded }: CollectionTransaction): string | undefined {
  return refunded === null ? undefined : formatMoney(refunded);
}

function showRefund({ id, status, amount, createdAt }: RefundSummary) {
  return { transaction_id: id, status, amount: formatMoney(amount), created_at: createdAt };
}

function reasonOf(transaction: PayoutTransaction): string | undefined {
  return 'reason' in transaction ? (transaction.reason ?? undefined) : undefined;
}

function settledOf(transaction: MerchantTransaction) {
  return transaction.settled ?? minor(transaction.amount - transaction.fee);
}
