/** The requests that move money. Each is started once per Idempotency-Key; its body is what was validated. */
import type { Minor } from './money.ts';
import type { FlowTiming } from './timing.ts';

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
export type MoneyRequest = PushRequest | PayoutRequest;

/** What the API hands to a workflow. Durable: Temporal keeps it, so it holds no secret. */
export type Submission<R extends MoneyRequest = MoneyRequest> = {
  transactionId: string;
  accountId: string;
  apiKeyId: string;
  idempotencyKey: string;
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
  timing: FlowTiming;
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
