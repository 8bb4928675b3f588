import type { Bill } from './bill.ts';
import type { FailureCode } from './failure.ts';
import type { Minor } from './money.ts';
import type { FlowTiming } from './timing.ts';

/** `pending` until it ends; every other status is final and never changes. */
export const paymentStatuses = ['pending', 'completed', 'failed', 'cancelled'] as const;
export const payoutStatuses = ['pending', 'paid', 'failed', 'cancelled'] as const;
export const statuses = [...new Set([...paymentStatuses, ...payoutStatuses])] as const;

/** A merchant's payment, bill or payout, as Postgres knows it. Timestamps are ISO 8601 UTC with six decimals. */
export type Transaction = {
  id: string;
  accountId: string;
  apiKeyId: string;
  type: 'payment' | 'bill' | 'payout';
  mode: 'ussd' | 'billpay' | 'qr' | 'mobile' | 'bank';
  status: (typeof statuses)[number];
  /** the latest event, as lookups show it: `payment.pending`, `payout.completed` … */
  event: string;
  amount: Minor;
  currency: string;
  fee: Minor;
  feeVersion: string;
  /** what a completed collection credited; null before and for payouts */
  settled: Minor | null;
  /** network id (`m-pesa`) or `bank`; `billpay` or `dynamic-qr` while nobody has paid */
  channel: string;
  /** ours, sent to the channel: PY… or PO…; of a bill or QR code its control number */
  reference: string;
  /** the channel's own reference */
  channelReference: string | null;
  msisdn: string | null;
  fullName: string | null;
  bic: string | null;
  accountNumber: string | null;
  /** JSON text, exactly as the merchant sent it */
  metadata: string;
  failureCode: FailureCode | null;
  timing: FlowTiming;
  promptExpiresAt: string | null;
  nextEnquiryAt: string | null;
  handedOverAt: string | null;
  paidAt: string | null;
  returnedAt: string | null;
  returnReason: string | null;
  attention: boolean;
  /** of a bill and of a QR code */
  bill: Bill | null;
  createdAt: string;
  updatedAt: string;
  /** time of the latest status change */
  statusAt: string;
};

export function isFinal(status: Transaction['status']): boolean {
  return status !== 'pending';
}
