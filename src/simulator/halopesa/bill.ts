import { request } from 'undici';
import { z } from 'zod';
import { checkSumOf, HALOPESA_BILL_PATH, wireTime, writeRequest } from '../../channels/halopesa/wire.ts';
import { MINOR_PER_UNIT, toDecimal } from '../../domain/money.ts';
import type { BillCall, BillGateway, BillSteps, StepReply } from '../bills/bill-steps.ts';

/** Networks give an answer up after this. */
const TIMEOUT_MS = 6_000;

/** The answer in JSON, as the one public integration gives it. */
const answerSchema = z.object({ responseType: z.enum(['SUCCESS', 'ERROR']), msg: z.string() });

/** HaloPesa asks nothing before: it says that a customer has paid, and one answer decides. */
export function createHalopesaBillSteps(gateway: BillGateway, secret = ''): BillSteps {
  return {
    lookUp: async () => ({ kind: 'yes', message: 'Not asked' }),
    validate: async () => ({ kind: 'yes', message: 'Not asked' }),
    notify: (call, signal) => notify(gateway, call, { secret, signal }),
  };
}

async function notify(
  gateway: BillGateway,
  call: BillCall,
  { secret, signal }: { secret: string; signal: AbortSignal },
): Promise<StepReply> {
  // Amounts are whole shillings on the wire.
  if (call.amount % MINOR_PER_UNIT !== 0) return { kind: 'no', message: 'HaloPesa moves whole shillings' };
  const { username = '', password = '' } = gateway.credentials?.[call.network] ?? {};
  const message = {
    requestId: call.receipt,
    username,
    password,
    requestTime: wireTime(Date.now()),
    amount: toDecimal(call.amount),
    sender: call.party,
    accountId: '100006',
    reference: call.controlNumber,
    businessNumber: '400200',
    functionCode: 'PAYMENT',
  };
  try {
    const answer = await request(gateway.url + HALOPESA_BILL_PATH, {
      method: 'POST',
      headers: { 'content-type': 'text/xml; charset=utf-8' },
      body: writeRequest({ ...message, checkSum: checkSumOf(message, secret) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(gateway.timeoutMs ?? TIMEOUT_MS)]),
    });
    const said = answerSchema.safeParse(JSON.parse(await answer.body.text()));
    if (answer.statusCode !== 200 || !said.success)
      return { kind: 'silent', message: `The service answered ${answer.statusCode}` };
    return { kind: said.data.responseType === 'SUCCESS' ? 'yes' : 'no', message: said.data.msg };
  } catch {
    return { kind: 'silent', message: 'The service did not answer' };
  }
}
