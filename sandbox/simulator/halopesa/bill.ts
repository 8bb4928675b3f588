import { z } from 'zod';
import { MINOR_PER_UNIT, toDecimal } from '../../../src/domain/money.ts';
import { askGateway, notAsked, silent } from '../bills/ask.ts';
import type { BillCall, BillGateway, BillSteps, StepReply } from '../bills/bill-step.ts';
import { parseJson } from '../core/body.ts';
import { CONTENT_TYPE, checkSumOf, requestXml, timeText } from './wire.ts';

const DOOR = '/channels/halopesa-bill';

/** The answer in JSON, as in the one public integration. */
const answerSchema = z.object({ responseType: z.enum(['SUCCESS', 'ERROR']), msg: z.string() });

/** HaloPesa does not validate: it reports a payment, and the answer decides. */
export function createHalopesaBillSteps(gateway: BillGateway, secret = ''): BillSteps {
  return {
    lookUp: notAsked,
    validate: notAsked,
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
  const answer = await askGateway(gateway, DOOR, {
    headers: { 'content-type': CONTENT_TYPE },
    body: requestXml({ ...message, check_sum: checkSumOf(message, secret) }),
    signal,
  });
  const said = answerSchema.safeParse(answer?.status === 200 ? parseJson(answer.bytes) : undefined);
  if (!said.success) return silent(answer);
  return { kind: said.data.responseType === 'SUCCESS' ? 'yes' : 'no', message: said.data.msg };
}
