import type { FlowInput } from '../domain/operation.ts';
import type { FlowResult } from '../domain/settlement.ts';
import { awaitPayment } from './await-payment.ts';
import { runFlow } from './flow.ts';

/** A dynamic QR code: accept, wait for the one who scans and pays it, notify the merchant. */
export async function qrPayment(input: FlowInput<'qr'>): Promise<FlowResult> {
  return runFlow(input, awaitPayment);
}
