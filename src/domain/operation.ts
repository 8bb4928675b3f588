/**
 * The requests that move money. Each is started once per Idempotency-Key, a bill once per payment number; its body is
 * what was validated.
 */
import type { BillMode } from './bill.ts';
import type { Minor } from './money.ts';
import type { BilledTiming, FlowTiming } from './timing.ts';

export type PushRequest = {
  operation: 'payments/ussd';
  amount: Minor;
  currency: string;
  msisdn: string;
  channel: string;
};
export type MobilePayoutRequest = {
  operation: 'payouts/mobile';
  amount: Minor;
  currency: string;
  msisdn: string;
  channel: string;
  previewId: string | null;
  /** what the preview must have been made for (fingerprint of the body without `preview_id`); null without one */
  previewFingerprint: string | null;
};
export type BankPayoutRequest = {
  operation: 'payouts/bank';
  amount: Minor;
  currency: string;
  accountNumber: string;
  /** 8 characters, the institution */
  bic: string;
  /** the BIC as the merchant sent it, upper-cased; echoed in the answer */
  bicAsSent: string;
  fullName: string;
  channel: 'bank';
  previewId: string | null;
  /** what the preview must have been made for (fingerprint of the body without `preview_id`); null without one */
  previewFingerprint: string | null;
};
export type PayoutRequest = MobilePayoutRequest | BankPayoutRequest;
/** What we hand over to a channel and wait for. */
export type ChannelRequest = PushRequest | PayoutRequest;

type Billed = {
  amount: Minor;
  currency: string;
  /** how control numbers of this deployment begin */
  controlNumberPrefix: string;
  /** ISO 8601 UTC */
  expiresAt: string;
};
export type BillRequest = Billed & {
  operation: 'payments/billpay';
  channel: 'billpay';
  paymentNumber: string;
  mode: BillMode;
  description: string;
};
export type QrRequest = Billed & {
  operation: 'payments/qr';
  channel: 'dynamic-qr';
  description: string | null;
  payee: QrPayee;
};
/** Who a QR code pays, beside the merchant's own name: this gateway's place in the national scheme. */
export type QrPayee = {
  acquirerId: string;
  merchantId: string;
  categoryCode: string;
  city: string;
  postcode: string;
};
/** What a customer pays by a number of ours, over a channel that asks us first. */
export type BilledRequest = BillRequest | QrRequest;
export type MoneyRequest = ChannelRequest | BilledRequest;

/** What the API hands to a workflow. Durable: Temporal keeps it, so it holds no secret. */
export type Submission<R extends MoneyRequest = MoneyRequest> = {
  transactionId: string;
  accountId: string;
  apiKeyId: string;
  /** null for a bill that was sent without one: its payment number is its identity */
  idempotencyKey: string | null;
  /** version and hash of the request (transactions/idempotency.ts) */
  fingerprint: string;
  /** random, new on every attempt of the API: tells a workflow's own re-run from another submission */
  submissionId: string;
  requestId: string;
  /** ISO 8601 UTC, when the API received it */
  receivedAt: string;
  request: R;
  /** JSON text, exactly as sent */
  metadata: string;
  timing: R extends BilledRequest ? BilledTiming : FlowTiming;
  /** the sweep starts a lost workflow again: nothing is accepted, the flow goes on from what Postgres says */
  resume?: true;
};

/** The answer stored under a key: the same bytes for every repeat. */
export type StoredAnswer = {
  transactionId: string;
  /** the submission that was answered; for every other one it is a replay */
  submissionId: string;
  fingerprint: string;
  httpStatus: number;
  body: string;
};

export type Accepted = {
  answer: StoredAnswer;
  /** true when this submission (or its own re-run) created the transaction: only then does the workflow go on */
  mine: boolean;
};
