import type { PushRequest, Submission } from '../domain/operation.ts';
import { runToOutcome } from './await-outcome.ts';
import { runFlow } from './flow.ts';
import { sender } from './proxies.ts';

/** A USSD push: accept, ask the customer's phone once, wait for the answer, settle, tell the merchant. */
export async function ussdPush(submission: Submission<PushRequest>): Promise<string> {
  const { transactionId, request, timing } = submission;
  return runFlow(submission, (flow) =>
    runToOutcome(flow, (number) => sender(request.channel, timing).requestPush({ transactionId, number })),
  );
}
