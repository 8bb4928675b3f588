import type { Route } from '../channels/registry.ts';
import { bankPayoutAnswer, mobilePayoutAnswer } from '../contract/answer-schemas.ts';
import type { Database } from '../db/pool.ts';
import { GatewayError } from '../domain/errors.ts';
import type { PayoutRequest } from '../domain/operation.ts';
import { flowTiming, type GatewayTiming } from '../domain/timing.ts';
import { previewMismatchMessage } from '../transactions/acceptance/answers.ts';
import { previewableOf, previewMismatch } from '../transactions/acceptance/previews.ts';
import { type ApiRequest, callerOf, type Endpoint, type Handler } from './http/endpoint.ts';
import {
  bankPayoutAnswers,
  bankPayoutBodies,
  mobilePayoutAnswers,
  mobilePayoutBodies,
} from './reference/examples/payout.ts';
import {
  bankPayoutFields,
  mobilePayoutFields,
  readBankPayout,
  readMobilePayout,
} from './requests/payout-fields.ts';
import type { RouteOf } from './requests/request-rules.ts';
import type { Start } from './start.ts';

const refusals = [
  'insufficient_balance',
  'preview_mismatch',
  'submission_expired',
  'limit_exceeded',
  'duplicate_suspected',
  'unsupported_currency',
  'amount_out_of_range',
] as const;

const links = {
  to: ['getPayout', 'checkPayout', 'cancelPayout', 'getTransaction', 'getEntries'],
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

type Planned = { transactionId: string; payout: PayoutRequest; route: Route };

async function planOf(deps: PayoutDeps, request: ApiRequest, { transactionId, payout, route }: Planned) {
  const { accountId } = callerOf(request);
  const { mode, previewId } = payout;
  if (previewId !== null) {
    const use = { previewId, accountId, transactionId, ...previewableOf(payout) };
    const mismatch = await previewMismatch(deps.database, use);
    if (mismatch) throw new GatewayError('preview_mismatch', previewMismatchMessage(mismatch));
  }
  return { request: payout, timing: flowTiming(mode, route, deps.timing) };
}
