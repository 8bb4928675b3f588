import { setWorkflowOptions } from '@temporalio/workflow';
import type { FlowResult } from '../domain/ending.ts';
import { kinds } from '../domain/kinds.ts';
import type { FlowInput } from '../domain/operation.ts';
import { runToEnd } from './await-end.ts';
import { confirmDecision } from './confirm-decision.ts';
import { runFlow } from './flow.ts';
import { sender } from './proxies.ts';
import { pinned } from './versioning.ts';

setWorkflowOptions(pinned, ussdPush);

/** Accepts a push, asks the customer's phone once, waits for the answer, ends it, notifies the merchant. */
export async function ussdPush(input: FlowInput<'ussd'>): Promise<FlowResult> {
  const { transactionId, channel, timing } = input;
  const send = (number: number) => sender(channel, timing, number).requestPush({ transactionId, number });
  return runFlow(input, (flow) => runToEnd(flow, send, kinds.ussd), confirmDecision);
}
