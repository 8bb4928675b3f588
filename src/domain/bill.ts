import type { Minor } from './money.ts';

/** A dynamic QR code is an exact bill without a payment number. */
export type Bill = {
  /** 12 digits that the customer types: domain/control-number.ts */
  controlNumber: string;
  /** the merchant's own number of the bill; null for a QR code */
  paymentNumber: string | null;
  mode: BillMode;
  description: string | null;
  /** sum of the accepted payments */
  paid: Minor;
  /** how many were accepted */
  payments: number;
  /** ISO 8601 UTC */
  expiresAt: string;
};

/** `exact` takes that amount, once; `flexible` takes any amounts until their sum reaches the bill's. */
export const billModes = ['exact', 'flexible'] as const;
export type BillMode = (typeof billModes)[number];

/** A customer's payment of a bill, as a network reports it. */
export type ReportedPayment = {
  /** the channel's number of this payment: the same in every step, on every repetition */
  receipt: string;
  /** false if the message has only a name of ours; only some protocols may lack a receipt */
  hasReceipt?: boolean;
  /** other numbers that the channel has for it, which prove nothing */
  alsoKnownAs?: readonly string[] | undefined;
  /** null if the check digit is wrong: then no bill has the number, and we ask no database */
  controlNumber: string | null;
  /** kept for the record as the customer typed it */
  controlNumberAsSent: string;
  /** null where it is no amount of money */
  amount: Minor | null;
  amountAsSent: string;
  currency: string;
  /** 255XXXXXXXXX; null where the channel does not say */
  msisdn: string | null;
  /** the payer's account, where the channel names one in place of a phone; no row keeps it */
  payerAccount?: string | null;
  fullName: string | null;
};

/** Lookups show payments in order. */
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

/** A bill as a customer is shown it before paying. Amounts are minor units. */
export type BillView = {
  transactionId: string;
  accountId: string;
  controlNumber: string;
  merchantName: string;
  description: string | null;
  mode: BillMode;
  amount: Minor;
  paid: Minor;
  /** null: a standing number, which takes what its payer likes */
  outstanding: Minor | null;
  currency: string;
  open: boolean;
  createdAt: string;
  updatedAt: string;
  /** null: it has no end */
  expiresAt: string | null;
};

/** Why a payment is not taken. Every bill protocol says it in its own code. */
export type BillRefusal =
  | 'unknown_reference'
  /** paid in full (exact), cancelled or expired */
  | 'bill_closed'
  /** another payment of this exact bill is being posted */
  | 'in_progress'
  /** less than the amount of an exact bill */
  | 'amount_too_low'
  /** more than it */
  | 'amount_too_high'
  /** not a positive amount */
  | 'amount_invalid';

/** One bill takes at most this many payments: a lookup shows all of them. */
export const BILL_PAYMENTS_MAX = 500;

/** A validated payment of an exact bill keeps everybody else out for this long. */
export const CLAIM_SECONDS = 90;

/** These facts are read under the bill's row lock. */
export type BillState = {
  open: boolean;
  expired: boolean;
  mode: BillMode;
  amount: Minor;
  currency: string;
  payments: number;
  claimedByAnother: boolean;
  /** only a payment of a standing number has these */
  minimum?: Minor | null;
  /** no payment of more is accepted: that of a standing number, or of any bill (data/networks.json) */
  maximum: Minor;
};

/** Why this amount cannot be taken now; null when it can. */
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

/** The amount still to be paid; an overshooting last payment leaves nothing. */
export function outstandingOf(bill: Pick<Bill, 'paid'>, amount: Minor): Minor {
  return Math.max(0, amount - bill.paid) as Minor;
}
