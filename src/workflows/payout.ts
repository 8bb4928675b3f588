import type { PayoutRequest, Submission } from '../domain/operation.ts';
import { runToOutcome } from './await-outcome.ts';
import { runFlow } from './flow.ts';
import { sender } from './proxies.ts';

/** A payout: accept and hold, hand over once, wait for the answer, take or release the hold, tell the merchant. */
export async function payout(submission: Submission<PayoutRequest>): Promise<string> {
  const { transactionId, request, timing } = submission;
  return runFlow(submission, (flow) =>
    runToOutcome(flow, (number) => sender(request.channel, timing).requestPayout({ transactionId, number })),
  );
}
