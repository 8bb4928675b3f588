import type { FlowResult } from '../domain/ending.ts';
import type { FlowInput } from '../domain/operation.ts';
import { awaitPayment } from './await-payment.ts';
import { runFlow } from './flow.ts';

/** Accepts a bill, tells the merchant of each payment, and ends when it is paid, cancelled or expired. */
export async function billOrder(input: FlowInput<'billpay'>): Promise<FlowResult> {
  return runFlow(input, awaitPayment);
}
