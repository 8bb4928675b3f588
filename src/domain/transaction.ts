import type { Bill } from './bill.ts';
import { BrokenInvariant } from './errors.ts';
import type { FailureCode } from './failure.ts';
import {
  type BilledMode,
  type ChannelMode,
  isBilledMode,
  isMerchantMode,
  isPayoutMode,
  type Kind,
  kinds,
  type MerchantMode,
  type Mode,
  type ModeWith,
  type PayoutMode,
} from './kinds.ts';
import type { Minor } from './money.ts';
import type { Purpose } from './number.ts';
import type { Beside } from './payout.ts';
import type { TimingOf } from './timing.ts';

/** `pending` until it ends; every other status is final and never changes. */
export const paymentStatuses = ['pending', 'completed', 'failed', 'cancelled'] as const;
export const payoutStatuses = ['pending', 'paid', 'failed', 'cancelled'] as const;
export const statuses = [...new Set([...paymentStatuses, ...payoutStatuses])] as const;
export type Status = (typeof statuses)[number];
type StatusOf<M extends Mode> = 'pending' | (typeof kinds)[M]['success'] | 'failed' | 'cancelled';
type EventOf<M extends Mode> = (typeof kinds)[M]['events'][keyof Kind['events']];

/** Paybacks belong to the service. */
type Owner<M extends Mode> = M extends MerchantMode
  ? { accountId: string; apiKeyId: string }
  : { accountId: null; apiKeyId: null };

/** Timestamps are ISO 8601 UTC with six decimals. */
export type Common<M extends Mode> = Owner<M> & {
  id: string;
  mode: M;
  status: StatusOf<M>;
  /** latest event, as lookups show it: `payment.pending`, `payout.completed` … */
  event: EventOf<M>;
  amount: Minor;
  currency: string;
  fee: Minor;
  feeVersion: string;
  /** credited by a completed collection; null before, and for payouts */
  settled: Minor | null;
  /** network id (`m-pesa`) or `bank`; `billpay` or `dynamic-qr` while nothing is paid */
  channel: string;
  /** ours, sent to the channel: PY… or PO…; for a bill or QR code its control number */
  reference: string;
  channelReference: string | null;
  /** JSON text, exactly as sent */
  metadata: string;
  failureCode: FailureCode | null;
  batchId: string | null;
  timing: TimingOf<M>;
  promptExpiresAt: string | null;
  nextEnquiryAt: string | null;
  /** end of its wait for a channel that is down or closed */
  waitsUntil: string | null;
  handedOverAt: string | null;
  /** the channel may have moved the money: a send got no clear answer, or may be lost by a restore */
  isUnclear: boolean;
  paidAt: string | null;
  returnedAt: string | null;
  returnReason: string | null;
  attention: boolean;
  createdAt: string;
  updatedAt: string;
  /** time of the latest status change */
  statusAt: string;
};

/** Connection of the channels file for which it was accepted. */
type Routed = { connection: string };

type Wallet = Routed & Beside & { msisdn: string };
type BankAccount = Routed & Beside & { bic: string; accountNumber: string; fullName: string };
/** Customer of the latest payment; null before it, or if the channel does not say. */
type Payer = { msisdn: string | null; fullName: string | null };

/** `refunded` is refunded or on its way back to the payer; null without a refund. */
type Refundable = { refunded: Minor | null };
type Refund = Wallet & { refundOf: string; reason: string | null };

type Payback = Wallet & { item: string };

type NumberedBill = Bill & { paymentNumber: string };
/** A standing number's payment has the merchant's customer reference in place of a payment number. */
type PaidNumber = NumberedBill & { numberId: string; purpose: Purpose };

/** The bill, QR code or number that gets the money of a push from a page; null for any other push. */
type Prompt = { pays: string | null };

export type Party = {
  ussd: Routed & Payer & Refundable & Prompt & { msisdn: string };
  billpay: Payer & Refundable & { bill: NumberedBill };
  qr: Payer & Refundable & { bill: Bill };
  number: Payer & Refundable & { bill: PaidNumber };
  mobile: Wallet;
  bank: BankAccount;
  refund: Refund;
  settlement: Wallet | BankAccount;
  payback: Payback;
};
export type TransactionOf<M extends Mode> = { [K in M]: Common<K> & Party[K] }[M];

/** Postgres stores a merchant's payment, bill or payout, or the service's own payback. */
export type Transaction = TransactionOf<Mode>;
export type MerchantTransaction = TransactionOf<MerchantMode>;
export type BilledTransaction = TransactionOf<BilledMode>;
export type BillTransaction = TransactionOf<ModeWith<{ type: 'bill' }>>;
export type PayoutTransaction = TransactionOf<PayoutMode>;
/** Transactions that we hand over to a channel and wait for. */
export type ChannelTransaction = TransactionOf<ChannelMode>;
export type CollectionTransaction = Exclude<MerchantTransaction, PayoutTransaction>;

export function isFinal(status: Status): boolean {
  return status !== 'pending';
}

export function kindOf({ mode }: Pick<Transaction, 'mode'>): Kind {
  return kinds[mode];
}

export function isBilled(transaction: Transaction): transaction is BilledTransaction {
  return isBilledMode(transaction.mode);
}

export function isBill(transaction: Transaction): transaction is BillTransaction {
  return kindOf(transaction).type === 'bill';
}

/** Throws BrokenInvariant for a bill, which customers pay over any connection. */
export function connectionOf(transaction: Transaction): string {
  if (isBilled(transaction))
    throw new BrokenInvariant(`${transaction.id} goes over no connection of its own`);
  return transaction.connection;
}

export function isMerchants(transaction: Transaction): transaction is MerchantTransaction {
  return isMerchantMode(transaction.mode);
}

export function isPayout(transaction: Transaction): transaction is PayoutTransaction {
  return isPayoutMode(transaction.mode);
}

/** Returns what a push from a page pays; null for other transactions. */
export function paidBy(transaction: Transaction): string | null {
  return 'pays' in transaction ? transaction.pays : null;
}
