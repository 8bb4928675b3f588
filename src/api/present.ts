import type { BillPayment } from '../domain/bill.ts';
import { failureReasonOf } from '../domain/failure.ts';
import { jsonText, toJsonText } from '../domain/json-text.ts';
import { formatMoney, minor, toUnits } from '../domain/money.ts';
import { networkNameOf } from '../domain/network.ts';
import { bankOf, showBeneficiary, showBill, showChannel, showPhone } from '../domain/show.ts';
import type { Transaction } from '../domain/transaction.ts';
import type { Balance, Entry } from '../ledger/accounts.ts';
import { paymentStatusReason, payoutStatusReason } from './status-reason.ts';

/**
 * The only place where a row becomes JSON for a merchant. Every member is named here, in the published order; what
 * does not apply is absent, not null.
 */

/**
 * 200 of `GET payments/{id}`. `now` decides only which sentence `status_reason` is; `payments` are those of a bill,
 * oldest first.
 */
export function presentPayment(
  transaction: Transaction,
  now: Date,
  payments: readonly BillPayment[] = [],
): string {
  const completed = transaction.status === 'completed';
  return toJsonText({
    success: true,
    message: 'Payment retrieved successfully',
    status: transaction.status,
    payment: {
      transaction_id: transaction.id,
      transaction_mode: transaction.mode,
      transaction_currency: transaction.currency,
      channel: showChannel(transaction),
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
      status_reason: paymentStatusReason(transaction, now),
      bill: showBill(transaction),
      ...paymentsOf(transaction, payments),
      expires_at: expiryOf(transaction),
    },
  });
}

/** 200 of `GET payouts/{id}`. A payout that was not made has no fee, method, recipient's channel or time of payment. */
export function presentPayout(transaction: Transaction, now: Date): string {
  const made = transaction.status === 'pending' || transaction.status === 'paid';
  return toJsonText({
    success: true,
    message: 'Payout retrieved successfully',
    status: transaction.status,
    payout: {
      event: transaction.event,
      transaction_id: transaction.id,
      ...(made ? methodOf(transaction) : { amount: { value: formatMoney(transaction.amount) } }),
      paid_at: transaction.paidAt ?? undefined,
      ...failureOf(transaction),
      status_reason: payoutStatusReason(transaction, now),
      transaction_currency: transaction.currency,
      payout_reference: transaction.reference,
      beneficiary: showBeneficiary(transaction),
      metadata: jsonText(transaction.metadata),
      ...returnOf(transaction),
      created_at: transaction.createdAt,
      updated_at: transaction.updatedAt,
    },
  });
}

function methodOf(transaction: Transaction) {
  const amount = { value: formatMoney(transaction.amount), fee: formatMoney(transaction.fee) };
  if (transaction.mode === 'mobile') {
    return {
      transaction_method: 'mobile',
      amount,
      mobile: { phone_number: showPhone(transaction), network: transaction.channel },
    };
  }
  return {
    transaction_method: 'ach',
    amount,
    bank: {
      account_number: transaction.accountNumber,
      name: bankOf(transaction)?.name ?? transaction.bic,
      bic: transaction.bic,
    },
  };
}

/** An item of the transaction list, of past bank payouts, and the answer of `GET transactions/{id}`. */
export function listItem(transaction: Transaction): Record<string, unknown> {
  const isPayout = transaction.type === 'payout';
  return {
    transaction_id: transaction.id,
    type: transaction.type,
    transaction_mode: transaction.mode,
    transaction_currency: transaction.currency,
    status: transaction.status,
    event: transaction.event,
    channel: showChannel(transaction),
    amount: {
      value: formatMoney(transaction.amount),
      fee: isCharged(transaction) ? formatMoney(transaction.fee) : undefined,
      settled: transaction.status === 'completed' ? formatMoney(settledOf(transaction)) : undefined,
    },
    ...(isPayout ? { beneficiary: showBeneficiary(transaction) } : { customer: customerOf(transaction) }),
    reference: isPayout ? transaction.reference : (transaction.bill?.paymentNumber ?? null),
    bill: showBill(transaction),
    ...failureOf(transaction),
    paid_at: transaction.paidAt ?? undefined,
    ...returnOf(transaction),
    metadata: jsonText(transaction.metadata),
    created_at: transaction.createdAt,
    updated_at: transaction.updatedAt,
  };
}

/** 200 of `GET balance`. */
export function presentBalance(balance: Balance, currency: string): string {
  return toJsonText({
    success: true,
    message: 'Balance retrieved successfully',
    currency,
    balance: { current: toUnits(balance.current), reserved: toUnits(balance.reserved) },
  });
}

/** 200 of `GET transactions/{id}/entries`, oldest first. */
export function presentEntries(transactionId: string, entries: Entry[]): string {
  return toJsonText({
    success: true,
    message: 'Entries retrieved successfully',
    transaction_id: transactionId,
    entries: entries.map((entry) => ({
      transfer_id: entry.transferId,
      kind: entry.kind,
      account: entry.account,
      amount: formatMoney(entry.amount),
      created_at: entry.createdAt,
    })),
  });
}

function customerOf(transaction: Transaction) {
  return { full_name: transaction.fullName, phone_number: showPhone(transaction) };
}

/** As many as the bill counted when it was read: one that came in since is not shown beside an older sum. */
function paymentsOf({ type, bill }: Transaction, payments: readonly BillPayment[]) {
  if (type !== 'bill' || bill === null) return {};
  return {
    payments: payments.slice(0, bill.payments).map((payment) => ({
      amount: {
        value: formatMoney(payment.amount),
        fee: formatMoney(payment.fee),
        settled: formatMoney(minor(payment.amount - payment.fee)),
      },
      channel: { name: networkNameOf(payment.channel), reference: payment.receipt },
      customer: { full_name: payment.fullName, phone_number: showPhone(payment) },
      received_at: payment.receivedAt,
    })),
  };
}

/** A QR code is of no interest once it is final; a bill's own time stays part of it. */
function expiryOf({ type, status, bill }: Transaction): string | undefined {
  if (type === 'bill' || status === 'pending') return bill?.expiresAt;
  return undefined;
}

/** Whether a fee was or will be taken. A bill that expired partly paid keeps its money, and the fees of it. */
function isCharged({ status, bill }: Transaction): boolean {
  const unsuccessful = status === 'failed' || status === 'cancelled';
  return !unsuccessful || (bill?.payments ?? 0) > 0;
}

function failureOf(transaction: Transaction) {
  if (transaction.status !== 'failed' || transaction.failureCode === null) return {};
  return {
    failure_reason: failureReasonOf(transaction.failureCode),
    failure_code: transaction.failureCode,
  };
}

function returnOf(transaction: Transaction) {
  return {
    returned_at: transaction.returnedAt ?? undefined,
    return_reason: transaction.returnReason ?? undefined,
  };
}

function settledOf(transaction: Transaction) {
  return transaction.settled ?? minor(transaction.amount - transaction.fee);
}
