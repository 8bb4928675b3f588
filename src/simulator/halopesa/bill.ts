import { z } from 'zod';
import { MINOR_PER_UNIT, toDecimal } from '../../domain/money.ts';
import type { BillCall, BillGateway, BillSteps, StepReply } from '../bills/bill-steps.ts';
import { askService } from '../core/wire-log.ts';
import { CONTENT_TYPE, checkSumOf, requestXml, timeText } from './wire.ts';

/** Where a service takes reports of payments, below its address. */
const DOOR = '/channels/halopesa-bill';

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
    requestid: call.receipt,
    username,
    password,
    request_time: timeText(Date.now()),
    amount: toDecimal(call.amount),
    sender_msisdn: call.party,
    beneficiary_accountid: '100006',
    referenceid: call.controlNumber,
    business_no: '400200',
    function_code: 'PAYMENT',
    addition_data: '',
  };
  try {
    const answer = await (gateway.ask ?? askService)(gateway.url + DOOR, {
      method: 'POST',
      headers: { 'content-type': CONTENT_TYPE },
      body: requestXml({ ...message, check_sum: checkSumOf(message, secret) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(gateway.timeoutMs ?? TIMEOUT_MS)]),
    });
    const said = answerSchema.safeParse(JSON.parse(answer.bytes.toString('utf8')));
    if (answer.status !== 200 || !said.success)
      return { kind: 'silent', message: `The service answered ${answer.status}` };
    return { kind: said.data.responseType === 'SUCCESS' ? 'yes' : 'no', message: said.data.msg };
  } catch {
    return { kind: 'silent', message: 'The service did not answer' };
  }
}
