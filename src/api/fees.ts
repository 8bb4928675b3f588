import { feesOf } from '../accounts/fees.ts';
import { scopes } from '../accounts/keys.ts';
import { feeList, type feeSchedule } from '../contract/fee-schemas.ts';
import type { JsonOf } from '../contract/json-of.ts';
import { type FeeSchedule, tiersOf } from '../domain/fees.ts';
import { say } from '../domain/messages.ts';
import { callerOf, done } from './kit/call.ts';
import { call } from './kit/gateway-call.ts';

export const getFees = call(
  {
    method: 'GET',
    paths: ['fees'],
    summary: 'What you pay for each kind of payment and payout, and what you will pay next',
    purpose:
      'Show these before your customer or your own people decide: ' +
      'the fee of an amount is `fixed` plus `basis_points` of it, ' +
      'by the tier that has its whole shillings. `next` is what you will pay from its `effective_from` ' +
      'on; each transaction keeps the fees of the moment at which it was accepted.',
    scopes,
    answer: feeList,
  },
  async (request, { database }) => {
    const { inForce, next } = await feesOf(database, callerOf(request).accountId);
    return { ...done(say('fees_found')), ...show(inForce), next: next ? show(next) : undefined };
  },
);

function show(schedule: FeeSchedule): JsonOf<typeof feeSchedule> {
  const { version, effectiveFrom } = schedule;
  return { fees: tiersOf(schedule), version, effective_from: effectiveFrom };
}
