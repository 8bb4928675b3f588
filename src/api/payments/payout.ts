import type { Route } from '../../channels/kit/registry.ts';
import { bankPayoutAnswer, mobilePayoutAnswer } from '../../contract/answer-schemas.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { PayoutRequest } from '../../domain/operation.ts';
import { flowTiming } from '../../domain/timing.ts';
import { previewableOf, previewMismatch } from '../../transactions/acceptance/previews.ts';
import { previewMismatchMessage } from '../../transactions/acceptance/refusals.ts';
import { type ApiRequest, callerOf } from '../kit/call.ts';
import { requireOpen } from '../kit/fence-watch.ts';
import { call, type Deps } from '../kit/gateway-call.ts';
import {
  bankPayoutFields,
  mobilePayoutFields,
  readBankPayout,
  readMobilePayout,
} from '../kit/payout-fields.ts';

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

export const initiateMobilePayout = call(
  {
    method: 'POST',
    paths: ['payouts/mobile'],
    summary: 'Pay out to a mobile wallet',
    purpose:
      'Send money to a mobile wallet: the value and the fee are held at once and taken when the network ' +
      'has paid. An unclear answer never pays twice, ' +
      'so repeat it with the same Idempotency-Key until you have one.',
    scopes: ['payouts:write'],
    body: mobilePayoutFields,
    idempotencyKey: 'required',
    answer: mobilePayoutAnswer,
    links,
    refusals: [...refusals, 'unsupported_network'],
  },
  (request, deps) =>
    deps.start(request, 'mobile', (transactionId) => {
      const { payout, route } = readMobilePayout(
        request.known,
        deps.payoutsOver(callerOf(request).accountId),
      );
      return planOf(deps, request, { transactionId, payout, route });
    }),
);

export const initiateBankPayout = call(
  {
    method: 'POST',
    paths: ['payouts/bank'],
    summary: 'Pay out to a bank account',
    purpose:
      'Send money to a bank account, named by its number and the BIC of its bank. ' +
      'The value and the fee are held at once and taken when the bank has paid; ' +
      'a bank may send a paid payout back later, which sends `payout.returned`.',
    scopes: ['payouts:write'],
    body: bankPayoutFields,
    idempotencyKey: 'required',
    answer: bankPayoutAnswer,
    links,
    refusals: [...refusals, 'unknown_bank', 'unsupported_network'],
  },
  (request, deps) =>
    deps.start(request, 'bank', (transactionId) => {
      const { payout, route } = readBankPayout(request.known, deps.payoutsOver(callerOf(request).accountId));
      return planOf(deps, request, { transactionId, payout, route });
    }),
);

type Planned = { transactionId: string; payout: PayoutRequest; route: Route };

async function planOf(deps: Deps, request: ApiRequest, { transactionId, payout, route }: Planned) {
  const { accountId } = callerOf(request);
  const { mode, previewId } = payout;
  if (previewId !== null) {
    const use = { previewId, accountId, transactionId, ...previewableOf(payout) };
    const mismatch = await previewMismatch(deps.database, use);
    if (mismatch) {
      // A restore may have lost the preview and its payout; a merchant who pays again without it pays twice.
      await requireOpen(deps.database);
      throw new GatewayError('preview_mismatch', previewMismatchMessage(mismatch));
    }
  }
  return { request: payout, timing: flowTiming(mode, route, deps.timing) };
}
