import type { Row } from '../../db/pool.ts';
import type { Bill } from '../../domain/bill.ts';
import { BrokenInvariant } from '../../domain/errors.ts';
import { type Kind, kinds, type Mode } from '../../domain/kinds.ts';
import {
  isMerchants,
  type MerchantTransaction,
  type Transaction,
  type TransactionOf,
} from '../../domain/transaction.ts';

/**
 * A row of `transactions` with its bill (store.ts, `transactionColumns`) as what its mode says that it is. Throws
 * BrokenInvariant when something is missing that the mode needs: the database's own checks let no such row in.
 */
export function toTransaction(row: Row): Transaction {
  const mode = modeOf(row);
  const { [mode]: build } = builders;
  return build(row);
}

/** One for each mode, so that a new one does not compile without its own. */
const builders: { [M in Mode]: (row: Row) => TransactionOf<M> } = {
  ussd: (row) => ({ mode: 'ussd', ...commonOf(row, 'ussd'), ...walletOf(row), refunded: row.refunded }),
  mobile: (row) => ({ mode: 'mobile', ...commonOf(row, 'mobile'), ...walletOf(row) }),
  refund: (row) => ({
    mode: 'refund',
    ...commonOf(row, 'refund'),
    ...walletOf(row),
    refundOf: need(row, 'refund_of'),
    reason: row.refund_reason,
  }),
  payback: (row) => ({
    mode: 'payback',
    ...commonOf(row, 'payback'),
    accountId: null,
    apiKeyId: null,
    ...walletOf(row),
    item: need(row, 'suspense_item'),
  }),
  bank: (row) => ({
    mode: 'bank',
    ...commonOf(row, 'bank'),
    connection: need(row, 'connection'),
    bic: need(row, 'bic'),
    accountNumber: need(row, 'account_number'),
    fullName: need(row, 'full_name'),
  }),
  billpay: (row) => ({
    mode: 'billpay',
    ...commonOf(row, 'billpay'),
    ...payerOf(row),
    refunded: row.refunded,
    bill: numberedBillOf(row),
  }),
  qr: (row) => ({
    mode: 'qr',
    ...commonOf(row, 'qr'),
    ...payerOf(row),
    refunded: row.refunded,
    bill: need<Bill>(row, 'bill'),
  }),
};

/** For what was found by its merchant's account: nothing of the service's own is there. */
export function toMerchantTransaction(row: Row): MerchantTransaction {
  const transaction = toTransaction(row);
  if (isMerchants(transaction)) return transaction;
  throw new BrokenInvariant(`transaction ${transaction.id} is no merchant's`);
}

function modeOf(row: Row): Mode {
  if (Object.hasOwn(kinds, row.mode)) return row.mode;
  throw new BrokenInvariant(`transaction ${row.id} has the unknown mode ${row.mode}`);
}

function statusOf<M extends Mode>(row: Row, mode: M): TransactionOf<M>['status'] {
  const { success }: Kind = kinds[mode];
  if (['pending', 'failed', 'cancelled', success].includes(row.status)) return row.status;
  throw new BrokenInvariant(`transaction ${row.id} is a ${mode} with the status ${row.status}`);
}

function need<T = string>(row: Row, column: string): T {
  if (row[column] !== null && row[column] !== undefined) return row[column];
  throw new BrokenInvariant(`transaction ${row.id} is a ${row.mode} without ${column}`);
}

function walletOf(row: Row) {
  return {
    connection: need(row, 'connection'),
    msisdn: need(row, 'msisdn'),
    fullName: row.full_name as string | null,
  };
}

function payerOf(row: Row) {
  return { msisdn: row.msisdn as string | null, fullName: row.full_name as string | null };
}

function numberedBillOf(row: Row) {
  const { paymentNumber, ...bill } = need<Bill>(row, 'bill');
  if (paymentNumber !== null) return { ...bill, paymentNumber };
  throw new BrokenInvariant(`transaction ${row.id} is a ${row.mode} without a payment number`);
}

function commonOf<M extends Mode>(row: Row, mode: M) {
  return {
    id: row.id,
    accountId: row.account_id,
    apiKeyId: row.api_key_id,
    status: statusOf(row, mode),
    event: row.event,
    amount: row.amount,
    currency: row.currency,
    fee: row.fee,
    feeVersion: row.fee_version,
    settled: row.settled,
    channel: row.channel,
    reference: row.reference,
    channelReference: row.channel_reference,
    metadata: row.metadata,
    failureCode: row.failure_code,
    timing: row.timing,
    handedOverAt: row.handed_over_at,
    isUnclear: row.unclear,
    promptExpiresAt: row.prompt_expires_at,
    nextEnquiryAt: row.next_enquiry_at,
    waitsUntil: row.waits_until,
    paidAt: row.paid_at,
    returnedAt: row.returned_at,
    returnReason: row.return_reason,
    attention: row.attention,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    statusAt: row.status_at,
  };
}
