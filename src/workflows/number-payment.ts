import type { FlowResult } from '../domain/ending.ts';
import type { FlowInput } from '../domain/operation.ts';
import { runFlow } from './flow.ts';
import { money } from './proxies.ts';

/** The notification posted the payment, so only the callback is left. `recover` reads our signal. */
export async function numberPayment(input: FlowInput<'number'>): Promise<FlowResult> {
  return runFlow(input, () => money.tryToEnd(input.transactionId, { kind: 'notifications' }));
}
