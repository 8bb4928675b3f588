import { say } from './messages.ts';
import type { Minor } from './money.ts';
import { MINOR_PER_UNIT, minor } from './money.ts';
import { ERASED_MSISDN } from './msisdn.ts';
import { isSameName } from './receipt.ts';
import type { TransactionOf } from './transaction.ts';

export type RefundSummary = Pick<TransactionOf<'refund'>, 'id' | 'status' | 'amount' | 'createdAt'>;

/** refunds per payment, failed ones included, so that reading them is bounded */
export const REFUNDS_MAX = 500;

/** A refund is any part of a payment, from one shilling. */
export const REFUND_MIN = minor(MINOR_PER_UNIT);

/** Money that one customer paid: a completed push, or one accepted payment of a bill or QR code. */
export type PaidPart = {
  /** number among its bill's payments; null without a bill */
  number: number | null;
  channel: string;
  receipt: string | null;
  msisdn: string | null;
  fullName: string | null;
  amount: Minor;
  /** ISO 8601 UTC */
  paidAt: string;
};

export const refundObstacles = {
  not_paid: say('refund_not_paid'),
  not_paid_yet: say('refund_not_paid_yet'),
  paid_beside: say('refund_paid_beside'),
  receipt_unknown: say('refund_receipt_unknown'),
  receipt_needed: say('refund_receipt_needed'),
  receipt_shared: say('refund_receipt_shared'),
  just_paid: say('refund_just_paid'),
  payer_unknown: say('refund_payer_unknown'),
  payer_erased: say('refund_payer_erased'),
  account_unknown: say('refund_account_unknown'),
  not_offered: say('refund_not_offered'),
  top_up: say('refund_top_up'),
  given_back: say('refund_given_back'),
  too_old: say('refund_too_old'),
  too_many: say('refund_too_many', { count: REFUNDS_MAX }),
} as const;
export type RefundObstacle = keyof typeof refundObstacles;

/** Finds the payment with this receipt, or the only one. */
export function choosePart(
  parts: readonly PaidPart[],
  receipt: string | null,
): { part: PaidPart } | { obstacle: RefundObstacle } {
  const isNamed = (part: PaidPart) =>
    receipt === null || (part.receipt !== null && isSameName(part.receipt, receipt));
  const [part, ...others] = parts.filter(isNamed);
  if (!part) return { obstacle: 'receipt_unknown' };
  if (others.length === 0) return { part };
  return { obstacle: receipt === null ? 'receipt_needed' : 'receipt_shared' };
}

export type RefundState = {
  part: PaidPart;
  /** the payer's network and its payout connection when the refund was requested */
  asked: { channel: string; connection: string | null };
  isTooOld: boolean;
  /** refunds of the whole payment or bill, failed ones included */
  refunds: number;
};

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
