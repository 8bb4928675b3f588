import type { Database } from '../db/pool.ts';
import { PREVIEW_MISMATCH } from '../domain/answers.ts';
import { GatewayError } from '../domain/errors.ts';
import type { PayoutRequest } from '../domain/operation.ts';
import { flowTiming, type GatewayTiming } from '../domain/timing.ts';
import { fingerprintOf } from '../transactions/idempotency.ts';
import { previewFits } from '../transactions/previews.ts';
import { bankPayoutAnswer, mobilePayoutAnswer } from './answer-schemas.ts';
import { type ApiRequest, callerOf, type Endpoint, type Handler } from './endpoint.ts';
import {
  bankPayoutAnswers,
  bankPayoutBodies,
  mobilePayoutAnswers,
  mobilePayoutBodies,
} from './examples/payout.ts';
import { bankPayoutFields, mobilePayoutFields, readBankPayout, readMobilePayout } from './payout-fields.ts';
import type { IsOffered } from './request-rules.ts';
import type { Start } from './start.ts';

const refusals = [
  'insufficient_balance',
  'preview_mismatch',
  'submission_expired',
  'unsupported_currency',
  'amount_out_of_range',
] as const;

const links = {
  to: ['getPayout', 'getPayout2', 'cancelPayout', 'getTransaction', 'getEntries'],
  at: '/transaction_id',
} as const;

export const initiateMobilePayout = {
  method: 'POST',
  paths: ['payouts/mobile'],
  summary: 'Pay out to a mobile wallet',
  scopes: ['payouts:write'],
  body: mobilePayoutFields,
  idempotencyKey: 'required',
  answer: mobilePayoutAnswer,
  examples: { body: mobilePayoutBodies, answer: mobilePayoutAnswers },
  links,
  refusals: [...refusals, 'unsupported_network'],
} as const satisfies Endpoint;

export const initiateBankPayout = {
  method: 'POST',
  paths: ['payouts/bank'],
  summary: 'Pay out to a bank account',
  scopes: ['payouts:write'],
  body: bankPayoutFields,
  idempotencyKey: 'required',
  answer: bankPayoutAnswer,
  examples: { body: bankPayoutBodies, answer: bankPayoutAnswers },
  links,
  refusals: [...refusals, 'unknown_bank', 'unsupported_network'],
} as const satisfies Endpoint;

/** When to ask a bank about a payment, and how long "not found" must hold there (the channels' data). */
export type ChannelTiming = { firstEnquiryAfterMs: number; settleTimeMs: number };

export type PayoutDeps = {
  database: Database;
  start: Start;
  timing: GatewayTiming;
  isOffered: IsOffered;
  /** the channel's data; undefined when it is not configured here */
  channelOf: (channelId: string) => ChannelTiming | undefined;
};

export function createMobilePayout(deps: PayoutDeps): Handler {
  return (request) =>
    deps.start(request, 'payouts/mobile', (transactionId) => {
      const { payout } = readMobilePayout(request.known, deps.isOffered);
      return planOf(deps, request, transactionId, payout);
    });
}

export function createBankPayout(deps: PayoutDeps): Handler {
  return (request) =>
    deps.start(request, 'payouts/bank', (transactionId) =>
      planOf(deps, request, transactionId, readBankPayout(request.known, deps.isOffered)),
    );
}

/** What a preview is bound to: the operation and the body without `preview_id`. */
export function previewFingerprintOf(
  operation: PayoutRequest['operation'],
  known: Record<string, unknown>,
): string {
  const { preview_id: _, ...body } = known;
  return fingerprintOf(operation, body);
}

type Unbound = PayoutRequest extends infer R
  ? R extends PayoutRequest
    ? Omit<R, 'previewFingerprint'>
    : never
  : never;

async function planOf(deps: PayoutDeps, request: ApiRequest, transactionId: string, payout: Unbound) {
  const { accountId } = callerOf(request);
  const { operation, previewId } = payout;
  const fingerprint = previewFingerprintOf(operation, request.known);
  if (previewId !== null) {
    const use = { previewId, accountId, operation, fingerprint, transactionId };
    if (!(await previewFits(deps.database, use)))
      throw new GatewayError('preview_mismatch', PREVIEW_MISMATCH);
  }
  const channel = deps.channelOf(payout.channel);
  if (!channel) throw new Error(`channel ${payout.channel} is not configured`);
  const previewFingerprint = previewId === null ? null : fingerprint;
  return {
    request: { ...payout, previewFingerprint },
    timing: flowTiming('payout', { promptTtlMs: 0, ...channel }, deps.timing),
  };
}
