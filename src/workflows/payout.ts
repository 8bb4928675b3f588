import { setWorkflowOptions } from '@temporalio/workflow';
import type { FlowResult } from '../domain/ending.ts';
import { type PayoutMode, paidOut } from '../domain/kinds.ts';
import type { FlowInput } from '../domain/operation.ts';
import { runToEnd } from './await-end.ts';
import { confirmDecision } from './confirm-decision.ts';
import { runFlow } from './flow.ts';
import { sender } from './proxies.ts';
import { pinned } from './versioning.ts';

setWorkflowOptions(pinned, payout);

/** Accepts with a hold, hands over once, waits for the answer, takes or releases the hold, notifies. */
export async function payout(input: FlowInput<PayoutMode>): Promise<FlowResult> {
  const { transactionId, channel, timing } = input;
  const send = (number: number) => sender(channel, timing, number).requestPayout({ transactionId, number });
  return runFlow(input, (flow) => runToEnd(flow, send, paidOut), confirmDecision);
}
