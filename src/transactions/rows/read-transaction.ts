import type { Bill } from '../../domain/bill.ts';
import { BrokenInvariant } from '../../domain/errors.ts';
import type { FailureCode } from '../../domain/failure.ts';
import { type Kind, kinds, type Mode } from '../../domain/kinds.ts';
import { type Minor, minor } from '../../domain/money.ts';
import {
  isMerchants,
  type MerchantTransaction,
  type Transaction,
  type TransactionOf,
} from '../../domain/transaction.ts';
import type { TransactionRow as Row } from './columns.ts';

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
  ussd: (row) => ({
    mode: 'ussd',
    ...commonOf(row, 'ussd'),
    ...ownerOf(row),
    ...walletOf(row),
    refunded: refundedOf(row),
    pays: row.pays,
  }),
  mobile: (row) => ({ mode: 'mobile', ...commonOf(row, 'mobile'), ...ownerOf(row), ...walletOf(row) }),
  refund: (row) => ({
    mode: 'refund',
    ...commonOf(row, 'refund'),
    ...ownerOf(row),
    ...walletOf(row),
    refundOf: need(row, 'refund_of'),
    reason: row.refund_reason,
  }),
  settlement: (row) => ({
    mode: 'settlement',
    ...commonOf(row, 'settlement'),
    ...ownerOf(row),
    ...(row.account_number === null ? walletOf(row) : bankAccountOf(row)),
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
    ...ownerOf(row),
    ...bankAccountOf(row),
  }),
  billpay: (row) => ({
    mode: 'billpay',
    ...commonOf(row, 'billpay'),
    ...ownerOf(row),
    ...payerOf(row),
    refunded: refundedOf(row),
    bill: numberedBillOf(row),
  }),
  qr: (row) => ({
    mode: 'qr',
    ...commonOf(row, 'qr'),
    ...ownerOf(row),
    ...payerOf(row),
    refunded: refundedOf(row),
    bill: need(row, 'bill') as Bill,
  }),
  // The database lets no such row in without its number, which is where this is read from.
  number: (row) => ({
    mode: 'number',
    ...commonOf(row, 'number'),
    ...ownerOf(row),
    ...payerOf(row),
    refunded: refundedOf(row),
    bill: need(row, 'bill') as TransactionOf<'number'>['bill'],
  }),
};

/** For what was found by its merchant's account: nothing of the service's own is there. */
export function toMerchantTransaction(row: Row): MerchantTransaction {
  const transaction = toTransaction(row);
  if (isMerchants(transaction)) return transaction;
  throw new BrokenInvariant(`transaction ${transaction.id} is no merchant's`);
}

function modeOf(row: Row): Mode {
  if (Object.hasOwn(kinds, row.mode)) return row.mode as Mode;
  throw new BrokenInvariant(`transaction ${row.id} has the unknown mode ${row.mode}`);
}

function statusOf<M extends Mode>(row: Row, mode: M): TransactionOf<M>['status'] {
  const { success }: Kind = kinds[mode];
  if (['pending', 'failed', 'cancelled', success].includes(row.status))
    return row.status as TransactionOf<M>['status'];
  throw new BrokenInvariant(`transaction ${row.id} is a ${mode} with the status ${row.status}`);
}

function need<K extends keyof Row>(row: Row, column: K): NonNullable<Row[K]> {
  const value = row[column];
  if (value !== null && value !== undefined) return value;
  throw new BrokenInvariant(`transaction ${row.id} is a ${row.mode} without ${column}`);
}

function ownerOf(row: Row) {
  return { accountId: need(row, 'account_id'), apiKeyId: need(row, 'api_key_id') };
}

function walletOf(row: Row) {
  return {
    connection: need(row, 'connection'),
    msisdn: need(row, 'msisdn'),
    fullName: row.full_name,
  };
}

function bankAccountOf(row: Row) {
  return {
    connection: need(row, 'connection'),
    bic: need(row, 'bic'),
    accountNumber: need(row, 'account_number'),
    fullName: need(row, 'full_name'),
  };
}

function payerOf(row: Row) {
  return { msisdn: row.msisdn, fullName: row.full_name };
}

function numberedBillOf(row: Row) {
  const { paymentNumber, ...bill } = need(row, 'bill') as Bill;
  if (paymentNumber !== null) return { ...bill, paymentNumber };
  throw new BrokenInvariant(`transaction ${row.id} is a ${row.mode} without a payment number`);
}

/** Null where nothing was refunded yet. */
function refundedOf({ refunded }: Row): Minor | null {
  return refunded === null ? null : minor(refunded);
}

function commonOf<M extends Mode>(row: Row, mode: M) {
  return {
    id: row.id,
    status: statusOf(row, mode),
    event: row.event as TransactionOf<M>['event'],
    amount: minor(row.amount),
    currency: row.currency,
    fee: minor(row.fee),
    feeVersion: row.fee_version,
    settled: row.settled === null ? null : minor(row.settled),
    channel: row.channel,
    reference: row.reference,
    channelReference: row.channel_reference,
    metadata: row.metadata,
    batchId: row.batch_id,
    failureCode: row.failure_code as FailureCode | null,
    timing: row.timing as TransactionOf<M>['timing'],
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
