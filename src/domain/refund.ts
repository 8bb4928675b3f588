import type { Minor } from './money.ts';
import { MINOR_PER_UNIT, minor } from './money.ts';
import { ERASED_MSISDN } from './msisdn.ts';
import type { TransactionOf } from './transaction.ts';

/** What a payment's lookup says of one of its refunds. */
export type RefundSummary = Pick<TransactionOf<'refund'>, 'id' | 'status' | 'amount' | 'createdAt'>;

/** Refunds of one payment, those that failed included: what a lookup shows, and what a refund reads, has an end. */
export const REFUNDS_MAX = 500;

/** One shilling: any part of a payment from here on. */
export const REFUND_MIN = minor(MINOR_PER_UNIT);

/** Money that one customer paid: a completed push, or one accepted payment of a bill or QR code. */
export type PaidPart = {
  /** its place among the payments of its bill; null where there is no bill */
  number: number | null;
  /** the payer's network */
  channel: string;
  /** the network's receipt; null where it gave none */
  receipt: string | null;
  msisdn: string | null;
  fullName: string | null;
  amount: Minor;
  /** ISO 8601 UTC */
  paidAt: string;
};

/** Why nothing of a payment can be given back, as the merchant reads it. */
export const refundObstacles = {
  not_paid:
    'Nothing was paid: only a completed payment, or a payment that a bill has received, can be refunded',
  receipt_unknown: 'No payment that was received here has this receipt',
  receipt_needed: 'Several payments match; name one of them by its receipt',
  just_paid: 'It was paid only after this refund was asked for',
  payer_unknown: 'The network did not say who paid',
  payer_erased: 'Name and number of who paid were erased',
  account_unknown: 'It was paid from a bank account, and the bank did not say from which',
  not_offered: "Payouts over the payer's network are not offered here",
  too_old: 'Too much time has passed since it was paid',
  too_many: `There were ${REFUNDS_MAX} refunds of this payment already`,
} as const;
export type RefundObstacle = keyof typeof refundObstacles;

/** The payment that a refund means: the one with this receipt, or the only one. */
export function choosePart(
  parts: readonly PaidPart[],
  receipt: string | null,
): { part: PaidPart } | { obstacle: RefundObstacle } {
  if (parts.length === 0) return { obstacle: 'not_paid' };
  const matching = receipt === null ? parts : parts.filter((part) => part.receipt === receipt);
  const [part, ...others] = matching;
  if (!part) return { obstacle: 'receipt_unknown' };
  return others.length === 0 ? { part } : { obstacle: 'receipt_needed' };
}

/** What a decision about a refund depends on, read under the payment's row lock. */
export type RefundState = {
  part: PaidPart;
  /** its payer's network and what carries payouts over it, as they were when the refund was asked for */
  asked: { channel: string; connection: string | null };
  isTooOld: boolean;
  /** of the whole payment or bill, those that failed included */
  refunds: number;
};

/** Why this payment cannot be refunded; otherwise what is paid, over what. */
export function refundTo({ part, asked, isTooOld, refunds }: RefundState) {
  const { channel, msisdn } = part;
  const obstacle = (why: RefundObstacle) => ({ obstacle: why });
  if (channel === 'bank') return obstacle('account_unknown');
  if (msisdn === null) return obstacle('payer_unknown');
  if (msisdn === ERASED_MSISDN) return obstacle('payer_erased');
  if (isTooOld) return obstacle('too_old');
  if (refunds >= REFUNDS_MAX) return obstacle('too_many');
  if (channel !== asked.channel) return obstacle('just_paid');
  if (asked.connection === null) return obstacle('not_offered');
  return { channel, msisdn, fullName: part.fullName, connection: asked.connection };
}
