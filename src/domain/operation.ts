/** Requests that move money start once per Idempotency-Key, a bill once per payment number. */
import type { ItemOfBatch } from './batch.ts';
import type { BillMode } from './bill.ts';
import { httpStatusOf } from './errors.ts';
import type { OwnFees } from './fees.ts';
import { type BilledMode, kinds, type Mode, type NamedPayoutMode } from './kinds.ts';
import type { Language } from './language.ts';
import type { LimitRefusal } from './limits.ts';
import type { Minor } from './money.ts';
import type { TimingOf } from './timing.ts';

type Currency<M extends Mode> = { mode: M; currency: string };
type Common<M extends Mode> = Currency<M> & { amount: Minor };

/** The connection is decided once, so that enquiries go where the payment was sent. */
type Routed = { connection: string };

export type PushRequest = Common<'ussd'> &
  Routed & {
    msisdn: string;
    channel: string;
    /** asked for on a page: the bill, QR code or standing number that it pays */
    pays?: string;
  };

/** `previewId` names the preview whose fee an initiation wants; null without one. */
type Previewed = { previewId: string | null };
export type MobilePayoutRequest = Common<'mobile'> & Routed & Previewed & { msisdn: string; channel: string };
export type BankPayoutRequest = Common<'bank'> &
  Routed &
  Previewed & {
    accountNumber: string;
    /** 8 characters, the institution */
    bic: string;
    fullName: string;
    channel: 'bank';
  };

/** It gives money of a payment back to its payer. Acceptance decides all that depends on the payment. */
export type RefundRequest = Currency<'refund'> & {
  /** null: all that is left */
  amount: Minor | null;
  /** the transaction id of the payment */
  refundOf: string;
  /** which payment of a bill, where it has several; null: the only one */
  receipt: string | null;
  reason: string | null;
  /** the payer's network, as the payment had it when this was asked for */
  channel: string;
  /** null: nothing carries payouts over that network, or the payer is unknown */
  connection: string | null;
};

export type OwnAccount =
  | { msisdn: string; channel: string }
  | { bic: string; accountNumber: string; fullName: string; channel: 'bank' };

/** A part of the balance goes to the merchant's own account. How much there is of it is decided when it is accepted. */
export type SettlementRequest = Currency<'settlement'> &
  Routed &
  OwnAccount & {
    /** null: all above what the rule keeps */
    amount: Minor | null;
    /** the version of the rule that named the account: under another one it is not accepted */
    rule: string;
    /** the least and the most that goes in one payout over that connection */
    partMin: Minor;
    partMax: Minor;
    /** the day in Dar es Salaam of the daily settlement, which no key asks for */
    day: string | null;
  };

type Billed = {
  /** how control numbers of this deployment begin */
  controlNumberPrefix: string;
  /** ISO 8601 UTC */
  expiresAt: string;
  /** the page to pay on; left out where this installation has none */
  payUrl?: string | undefined;
};
export type BillRequest = Common<'billpay'> &
  Billed & { channel: 'billpay'; paymentNumber: string; billMode: BillMode; description: string };
export type QrRequest = Common<'qr'> &
  Billed & { channel: 'dynamic-qr'; description: string | null; payee: QrPayee };
/** The payee of a QR code, beside the merchant's own name: this gateway's place in the national scheme. */
export type QrPayee = {
  acquirerId: string;
  merchantId: string;
  categoryCode: string;
  city: string;
  postcode: string;
};

type Requests = {
  ussd: PushRequest;
  billpay: BillRequest;
  qr: QrRequest;
  mobile: MobilePayoutRequest;
  bank: BankPayoutRequest;
  refund: RefundRequest;
  settlement: SettlementRequest;
  /** a customer makes one by paying: the door writes it down (transactions/ending/number-payments.ts) */
  number: never;
  /** nobody asks for one by a request: it is written down when two operators agree on it (transactions/acceptance/paybacks.ts) */
  payback: never;
};
export type MoneyRequest<M extends Mode = Mode> = Requests[M];
/** A payout to whom the merchant names. */
export type PayoutRequest = MoneyRequest<NamedPayoutMode>;

export function isPayoutRequest(request: MoneyRequest): request is PayoutRequest {
  return kinds[request.mode].limits === 'payout';
}

/** A customer pays these by a number of ours, over a channel that asks us first. */
export type BilledRequest = MoneyRequest<BilledMode>;

/** A request to be accepted. Durable: Temporal keeps it, so it holds no secret. */
export type Submission<R extends MoneyRequest = MoneyRequest> = {
  transactionId: string;
  accountId: string;
  apiKeyId: string;
  /** null for a bill that was sent without one: its payment number is its identity */
  idempotencyKey: string | null;
  /** version and hash of the request (transactions/acceptance/idempotency.ts) */
  fingerprint: string;
  /** random, new on every attempt of the API: distinguishes a workflow's own re-run from another submission */
  submissionId: string;
  requestId: string;
  /** ISO 8601 UTC, when the API received it */
  receivedAt: string;
  request: R;
  /** JSON text, exactly as sent */
  metadata: string;
  /** the answer's language; absent: English */
  language?: Language;
  timing: TimingOf<R['mode']>;
  /** an item is carved from its batch's hold and was counted in its limits */
  batch?: ItemOfBatch;
};

/** Only a submission with the API's proof is accepted (transactions/rows/submission-mac.ts). */
export type SignedSubmission<R extends MoneyRequest = MoneyRequest> = Submission<R> & { mac: string };

/** The HMAC covers every member (transactions/rows/submission-mac.ts). */
export type Signed<P extends object> = P & { mac: string };

/** Postgres may know the transaction: then `submission` is null, because nothing is to be accepted. */
export type FlowInput<M extends Mode = Mode> = {
  transactionId: string;
  channel: string;
  timing: TimingOf<M>;
  /** when a bill or QR code ends unpaid, ISO 8601 UTC; null for what is handed over to a channel */
  expiresAt: M extends BilledMode ? string : null;
  submission: Omit<SignedSubmission<MoneyRequest<M>>, 'transactionId' | 'timing'> | null;
  /** the first flow of what had none (a payback): nothing can have been sent where no send is known */
  isFirst?: true;
  /** for people who look at the workflow: shillings, and whom it is with, masked. Nothing is decided from it */
  about?: { money: string; party: string };
};

/** These refusals are kept under a key, which is used up. */
export type KeptRefusal =
  | LimitRefusal['code']
  | 'insufficient_balance'
  | 'submission_expired'
  | 'not_refundable'
  | 'refund_exceeds_payment';
/** An accepting transaction refuses with these; those that are not kept leave the key free. */
export type RefusalCode = KeptRefusal | 'preview_mismatch' | 'forbidden' | 'not_settleable' | 'unavailable';

/** The answer stored under a key: the same bytes for every repeat. */
export type StoredAnswer = {
  transactionId: string;
  /** the submission that was answered; for every other one it is a replay */
  submissionId: string;
  fingerprint: string;
  /** null: a transaction was accepted */
  refused: RefusalCode | null;
  /** '' once it is older than the retention of answers */
  body: string;
  /** the body's sentences are in this language; absent: English */
  language?: Language;
};

export function statusOf({ refused }: Pick<StoredAnswer, 'refused'>): number {
  return refused === null ? 200 : httpStatusOf[refused];
}

/** The fees that a transaction was accepted by. `own`: those of its account, where the version names any. */
export type FrozenFees = { version: string; own: OwnFees | null };

/** A restore reads these facts, not the answer. Amounts are minor units. */
export type AcceptedRow = {
  amount: Minor;
  fee: Minor;
  /** a bill or QR code has its control number here */
  reference: string;
};

export type Accepted = {
  answer: StoredAnswer;
  /** true when this submission (or its own re-run) created the transaction: only then does the workflow go on */
  mine: boolean;
  /** when this submission created it, by Postgres's clock */
  at?: string;
  /** only if mine: a restore must accept it again by the same fees */
  fees?: FrozenFees;
  /** only if mine: all payouts of a settlement, the first with the submission's id */
  rows?: AcceptedRow[];
  /** only if mine: an HMAC of the rest, without which a restore believes none of it */
  mac?: string;
};
