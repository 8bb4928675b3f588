import type { Bill } from '../../domain/bill.ts';
import { BrokenInvariant } from '../../domain/errors.ts';
import type { FailureCode } from '../../domain/failure.ts';
import { isMerchantMode, kinds, type Mode } from '../../domain/kinds.ts';
import { type Minor, minor } from '../../domain/money.ts';
import { besideOf } from '../../domain/payout.ts';
import {
  type Common,
  isMerchants,
  type MerchantTransaction,
  type Party,
  type Status,
  type Transaction,
} from '../../domain/transaction.ts';
import type { TransactionRow as Row } from './columns.ts';

/** Reads a row with its bill. Throws BrokenInvariant if a member that its mode needs is missing. */
export function toTransaction(row: Row): Transaction {
  const mode = modeOf(row);
  // TypeScript cannot see that both have one mode.
  return { ...commonOf(row, mode), ...parties[mode](row) } as Transaction;
}

/** Members that each mode adds. */
const parties: { [M in Mode]: (row: Row) => Party[M] } = {
  ussd: (row) => ({ ...walletOf(row), refunded: refundedOf(row), pays: row.pays }),
  mobile: walletOf,
  refund: (row) => ({ ...walletOf(row), refundOf: need(row, 'refund_of'), reason: row.refund_reason }),
  settlement: (row) => (row.accountNumber === null ? walletOf(row) : bankAccountOf(row)),
  payback: (row) => ({ ...walletOf(row), item: need(row, 'suspense_item') }),
  bank: bankAccountOf,
  billpay: (row) => ({ ...payerOf(row), bill: numberedBillOf(row) }),
  qr: (row) => ({ ...payerOf(row), bill: need(row, 'bill') as Bill }),
  // The database refuses this row without its number. The bill is read from the number.
  number: (row) => ({ ...payerOf(row), bill: need(row, 'bill') as Party['number']['bill'] }),
};

/** Reads a row found by a merchant's account. Throws BrokenInvariant if the service itself owns it. */
export function toMerchantTransaction(row: Row): MerchantTransaction {
  const transaction = toTransaction(row);
  if (isMerchants(transaction)) return transaction;
  throw new BrokenInvariant(`transaction ${transaction.id} is no merchant's`);
}

function modeOf(row: Row): Mode {
  if (Object.hasOwn(kinds, row.mode)) return row.mode as Mode;
  throw new BrokenInvariant(`transaction ${row.id} has the unknown mode ${row.mode}`);
}

function statusOf(row: Row, mode: Mode): Status {
  if (['pending', 'failed', 'cancelled', kinds[mode].success].includes(row.status))
    return row.status as Status;
  throw new BrokenInvariant(`transaction ${row.id} is a ${mode} with the status ${row.status}`);
}

function need<K extends keyof Row>(row: Row, column: K): NonNullable<Row[K]> {
  const value = row[column];
  if (value !== null && value !== undefined) return value;
  throw new BrokenInvariant(`transaction ${row.id} is a ${row.mode} without ${column}`);
}

/** Paybacks belong to the service. */
function ownerOf(row: Row, mode: Mode) {
  if (!isMerchantMode(mode)) return { accountId: null, apiKeyId: null };
  return { accountId: need(row, 'account_id'), apiKeyId: need(row, 'api_key_id') };
}

function walletOf(row: Row) {
  return {
    connection: need(row, 'connection'),
    msisdn: need(row, 'msisdn'),
    ...besideOf(row),
  };
}

function bankAccountOf(row: Row) {
  return {
    connection: need(row, 'connection'),
    bic: need(row, 'bic'),
    accountNumber: need(row, 'accountNumber'),
    ...besideOf(row),
    fullName: need(row, 'fullName'),
  };
}

function payerOf(row: Row) {
  return { msisdn: row.msisdn, fullName: row.fullName, refunded: refundedOf(row) };
}

function numberedBillOf(row: Row) {
  const { paymentNumber, ...bill } = need(row, 'bill') as Bill;
  if (paymentNumber !== null) return { ...bill, paymentNumber };
  throw new BrokenInvariant(`transaction ${row.id} is a ${row.mode} without a payment number`);
}

function refundedOf({ refunded }: Row): Minor | null {
  return refunded === null ? null : minor(refunded);
}

function commonOf(row: Row, mode: Mode): Common<Mode> {
  return {
    mode,
    id: row.id,
    status: statusOf(row, mode),
    event: row.event as Transaction['event'],
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
    timing: row.timing as Transaction['timing'],
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
    ...ownerOf(row, mode),
  };
}
