import type { FlowResult } from '../domain/ending.ts';
import type { FlowInput } from '../domain/operation.ts';
import { awaitPayment } from './await-payment.ts';
import { runFlow } from './flow.ts';

/** Accepts a dynamic QR code, waits until somebody scans and pays it, notifies the merchant. */
export async function qrPayment(input: FlowInput<'qr'>): Promise<FlowResult> {
  return runFlow(input, awaitPayment);
}
