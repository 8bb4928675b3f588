/** Requests that move money start once per Idempotency-Key, a bill once per payment number. */
import type { ItemOfBatch } from './batch.ts';
import type { BillMode } from './bill.ts';
import { httpStatusOf } from './errors.ts';
import type { OwnFees } from './fees.ts';
import { type BilledMode, kinds, type Mode, type NamedPayoutMode } from './kinds.ts';
import type { Language } from './language.ts';
import type { LimitRefusal } from './limits.ts';
import type { Minor } from './money.ts';
import type { Beside } from './payout.ts';
import type { TimingOf } from './timing.ts';

type Currency<M extends Mode> = { mode: M; currency: string };
type Common<M extends Mode> = Currency<M> & { amount: Minor };

/** The connection is decided once, so enquiries go where the payment was sent. */
type Routed = { connection: string };

export type PushRequest = Common<'ussd'> &
  Routed & {
    msisdn: string;
    channel: string;
    pays?: string;
  };

/** `previewId`: the preview whose fee the payout keeps, or null. */
type Previewed = { previewId: string | null };
export type MobilePayoutRequest = Common<'mobile'> &
  Routed &
  Previewed &
  Beside & { msisdn: string; channel: string };
export type BankPayoutRequest = Common<'bank'> &
  Routed &
  Previewed &
  Beside & {
    accountNumber: string;
    /** 8 characters, the institution */
    bic: string;
    fullName: string;
    channel: 'bank';
  };

/** Gives money of a payment back to its payer. Acceptance decides all that depends on the payment. */
export type RefundRequest = Currency<'refund'> & {
  /** null: all that is left */
  amount: Minor | null;
  refundOf: string;
  /** which payment of a bill; null: the only one */
  receipt: string | null;
  reason: string | null;
  /** the payer's network at the time of the request */
  channel: string;
  /** null: no payouts over that network, or the payer is unknown */
  connection: string | null;
};

export type OwnAccount =
  | { msisdn: string; channel: string }
  | { bic: string; accountNumber: string; fullName: string; channel: 'bank' };

/** Pays part of the balance to the merchant's own account; acceptance decides the amount. */
export type SettlementRequest = Currency<'settlement'> &
  Routed &
  OwnAccount & {
    amount: Minor | null;
    rule: string;
    /** smallest and largest payout over that connection */
    partMin: Minor;
    partMax: Minor;
    /** day in Dar es Salaam of a daily settlement, which no key requests */
    day: string | null;
  };

type Billed = {
  controlNumberPrefix: string;
  /** ISO 8601 UTC */
  expiresAt: string;
  /** page to pay on; absent if this installation has none */
  payUrl?: string | undefined;
};
export type BillRequest = Common<'billpay'> &
  Billed & { channel: 'billpay'; paymentNumber: string; billMode: BillMode; description: string };
export type QrRequest = Common<'qr'> &
  Billed & { channel: 'dynamic-qr'; description: string | null; payee: QrPayee };
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
  /** a customer makes one by paying (transactions/ending/number-payments.ts) */
  number: never;
  /** two operators make one, not a request (transactions/acceptance/paybacks.ts) */
  payback: never;
};
export type MoneyRequest<M extends Mode = Mode> = Requests[M];
export type PayoutRequest = MoneyRequest<NamedPayoutMode>;

export function isPayoutRequest(request: MoneyRequest): request is PayoutRequest {
  return kinds[request.mode].limits === 'payout';
}

/** A customer pays these by a control number, over a channel that asks us first. */
export type BilledRequest = MoneyRequest<BilledMode>;

/** Temporal keeps this, so it holds no secret. */
export type Submission<R extends MoneyRequest = MoneyRequest> = {
  transactionId: string;
  accountId: string;
  apiKeyId: string;
  /** null for a bill sent without one: its payment number identifies it */
  idempotencyKey: string | null;
  /** version and hash of the request (transactions/acceptance/idempotency.ts) */
  fingerprint: string;
  /** random, new on every attempt of the API: distinguishes a workflow's re-run from another submission */
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
  /** set for a batch item: its batch holds the money and was counted in the limits */
  batch?: ItemOfBatch;
};

export type SignedSubmission<R extends MoneyRequest = MoneyRequest> = Submission<R> & { mac: string };

/** The HMAC covers every member (transactions/rows/submission-mac.ts). */
export type Signed<P extends object> = P & { mac: string };

/** `submission`: null if Postgres already has the transaction, so nothing is accepted. */
export type FlowInput<M extends Mode = Mode> = {
  transactionId: string;
  channel: string;
  timing: TimingOf<M>;
  /** end of an unpaid bill or QR code, ISO 8601 UTC; null for other modes */
  expiresAt: M extends BilledMode ? string : null;
  submission: Omit<SignedSubmission<MoneyRequest<M>>, 'transactionId' | 'timing'> | null;
  /** first flow of a stored payback: nothing was sent unless a send is known */
  isFirst?: true;
  /** for people who look at the workflow: shillings, and the masked party. Nothing is decided from it */
  about?: { money: string; party: string };
};

/** Refusals that are kept under a key and use it up. */
export type KeptRefusal =
  | LimitRefusal['code']
  | 'insufficient_balance'
  | 'submission_expired'
  | 'not_refundable'
  | 'refund_exceeds_payment';
/** Refusals that are not kept leave the key free. */
export type RefusalCode = KeptRefusal | 'preview_mismatch' | 'forbidden' | 'not_settleable' | 'unavailable';

/** The answer stored under a key: the same bytes for every repeat. */
export type StoredAnswer = {
  transactionId: string;
  /** every other submission gets the answer as a replay */
  submissionId: string;
  fingerprint: string;
  /** null: a transaction was accepted */
  refused: RefusalCode | null;
  /** '' once the answer is older than its retention */
  body: string;
  /** language of the body's sentences; absent: English */
  language?: Language;
};

export function statusOf({ refused }: Pick<StoredAnswer, 'refused'>): number {
  return refused === null ? 200 : httpStatusOf[refused];
}

export type FrozenFees = { version: string; own: OwnFees | null };

/** Facts for a restore, which does not read the answer. Amounts are minor units. */
export type AcceptedRow = {
  amount: Minor;
  fee: Minor;
  /** for a bill or QR code: its control number */
  reference: string;
};

export type Accepted = {
  answer: StoredAnswer;
  /** true if this submission (or its re-run) created the transaction: only then the workflow goes on */
  mine: boolean;
  /** time of creation, by Postgres's clock */
  at?: string;
  /** only if mine: a restore must accept it by the same fees */
  fees?: FrozenFees;
  /** only if mine: all payouts of a settlement, the first with the submission's id */
  rows?: AcceptedRow[];
  /** only if mine: an HMAC of the rest, without which a restore believes none of it */
  mac?: string;
};
