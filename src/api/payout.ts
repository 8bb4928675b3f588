import type { Route } from '../channels/registry.ts';
import { bankPayoutAnswer, mobilePayoutAnswer } from '../contract/answer-schemas.ts';
import type { Database } from '../db/pool.ts';
import { GatewayError } from '../domain/errors.ts';
import type { PayoutMode } from '../domain/kinds.ts';
import type { PayoutRequest } from '../domain/operation.ts';
import { flowTiming, type GatewayTiming } from '../domain/timing.ts';
import { PREVIEW_MISMATCH } from '../transactions/answers.ts';
import { fingerprintOf } from '../transactions/idempotency.ts';
import { previewFits } from '../transactions/previews.ts';
import { type ApiRequest, callerOf, type Endpoint, type Handler } from './http/endpoint.ts';
import { bankPayoutFields, mobilePayoutFields, readBankPayout, readMobilePayout } from './payout-fields.ts';
import {
  bankPayoutAnswers,
  bankPayoutBodies,
  mobilePayoutAnswers,
  mobilePayoutBodies,
} from './reference/examples/payout.ts';
import type { RouteOf } from './request-rules.ts';
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

export type PayoutDeps = {
  database: Database;
  start: Start;
  timing: GatewayTiming;
  routeOf: RouteOf;
};

export function createMobilePayout(deps: PayoutDeps): Handler {
  return (request) =>
    deps.start(request, 'mobile', (transactionId) => {
      const { payout, route } = readMobilePayout(request.known, deps.routeOf);
      return planOf(deps, request, { transactionId, payout, route });
    });
}

export function createBankPayout(deps: PayoutDeps): Handler {
  return (request) =>
    deps.start(request, 'bank', (transactionId) => {
      const { payout, route } = readBankPayout(request.known, deps.routeOf);
      return planOf(deps, request, { transactionId, payout, route });
    });
}

/** What a preview is bound to: the kind of payout and the body without `preview_id`. */
export function previewFingerprintOf(mode: PayoutMode, known: Record<string, unknown>): string {
  const { preview_id: _, ...body } = known;
  return fingerprintOf(mode, body);
}

type Unbound = PayoutRequest extends infer R
  ? R extends PayoutRequest
    ? Omit<R, 'previewFingerprint'>
    : never
  : never;

type Planned = { transactionId: string; payout: Unbound; route: Route };

async function planOf(deps: PayoutDeps, request: ApiRequest, { transactionId, payout, route }: Planned) {
  const { accountId } = callerOf(request);
  const { mode, previewId } = payout;
  const fingerprint = previewFingerprintOf(mode, request.known);
  if (previewId !== null) {
    const use = { previewId, accountId, mode, fingerprint, transactionId };
    if (!(await previewFits(deps.database, use)))
      throw new GatewayError('preview_mismatch', PREVIEW_MISMATCH);
  }
  const previewFingerprint = previewId === null ? null : fingerprint;
  return {
    request: { ...payout, previewFingerprint },
    timing: flowTiming(mode, route, deps.timing),
  };
}
