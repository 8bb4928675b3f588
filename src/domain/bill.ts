import type { Minor } from './money.ts';

/** A dynamic QR code is an exact bill without a payment number. */
export type Bill = {
  /** 12 digits that the customer types: domain/control-number.ts */
  controlNumber: string;
  /** null for a QR code */
  paymentNumber: string | null;
  mode: BillMode;
  description: string | null;
  /** sum of the accepted payments */
  paid: Minor;
  payments: number;
  /** ISO 8601 UTC */
  expiresAt: string;
};

/** `exact`: that amount, once. `flexible`: any amounts until their sum reaches the bill's. */
export const billModes = ['exact', 'flexible'] as const;
export type BillMode = (typeof billModes)[number];

export type ReportedPayment = {
  /** the channel's number of this payment, the same in every step and repetition */
  receipt: string;
  /** false if the message has our reference but no receipt, as in some protocols */
  hasReceipt?: boolean;
  /** the channel's other numbers, which prove nothing */
  alsoKnownAs?: readonly string[] | undefined;
  /** null if the check digit is wrong: no bill has that number, so a lookup asks no database */
  controlNumber: string | null;
  controlNumberAsSent: string;
  /** null if unreadable */
  amount: Minor | null;
  amountAsSent: string;
  currency: string;
  /** 255XXXXXXXXX; null if the channel does not say */
  msisdn: string | null;
  /** the payer's account, if the channel names one instead of a phone; not stored */
  payerAccount?: string | null;
  fullName: string | null;
};

/** Payments in the order of lookups. */
export type BillPayment = {
  number: number;
  channel: string;
  receipt: string;
  amount: Minor;
  fee: Minor;
  msisdn: string | null;
  fullName: string | null;
  receivedAt: string;
};

/** A bill as customers see it before paying. Amounts are minor units. */
export type BillView = {
  transactionId: string;
  accountId: string;
  controlNumber: string;
  merchantName: string;
  description: string | null;
  mode: BillMode;
  amount: Minor;
  paid: Minor;
  /** null: a standing number, which takes any amount */
  outstanding: Minor | null;
  currency: string;
  open: boolean;
  createdAt: string;
  updatedAt: string;
  /** null: never */
  expiresAt: string | null;
};

/** A payment is refused for one of these reasons; every bill protocol has codes for them. */
export type BillRefusal =
  | 'unknown_reference'
  /** paid in full (exact), cancelled or expired */
  | 'bill_closed'
  /** another payment of this exact bill is being posted */
  | 'in_progress'
  /** less than the exact bill */
  | 'amount_too_low'
  /** more than the exact bill */
  | 'amount_too_high'
  /** not a positive amount */
  | 'amount_invalid';

/** a limit because a lookup shows all payments of a bill */
export const BILL_PAYMENTS_MAX = 500;

/** time for which a validated payment reserves an exact bill */
export const CLAIM_SECONDS = 90;

/** Facts read under the bill's row lock. */
export type BillState = {
  open: boolean;
  expired: boolean;
  mode: BillMode;
  amount: Minor;
  currency: string;
  payments: number;
  claimedByAnother: boolean;
  /** only for a payment of a standing number */
  minimum?: Minor | null;
  /** largest accepted payment, of the standing number or of any bill (data/networks.json) */
  maximum: Minor;
};

export function refusalOf(
  bill: BillState,
  payment: { amount: Minor | null; currency: string },
): BillRefusal | null {
  const { amount } = payment;
  if (!bill.open || bill.expired || bill.payments >= BILL_PAYMENTS_MAX) return 'bill_closed';
  if (amount === null || amount <= 0 || payment.currency !== bill.currency) return 'amount_invalid';
  if (amount > bill.maximum) return 'amount_too_high';
  if (amount < (bill.minimum ?? 0)) return 'amount_too_low';
  if (bill.mode === 'flexible') return null;
  if (amount < bill.amount) return 'amount_too_low';
  if (amount > bill.amount) return 'amount_too_high';
  return bill.claimedByAnother ? 'in_progress' : null;
}

export function outstandingOf(bill: Pick<Bill, 'paid'>, amount: Minor): Minor {
  return Math.max(0, amount - bill.paid) as Minor;
}
