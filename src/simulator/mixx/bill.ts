import { request } from 'undici';
import { readW2aAnswer, W2A_PATH, type W2aRequest, writeW2aRequest } from '../../channels/mixx/bill-wire.ts';
import { toDecimal } from '../../domain/money.ts';
import type { BillCall, BillCredentials, BillGateway, BillSteps, StepReply } from '../bills/bill-steps.ts';
import { ownerOf } from '../core/scenario.ts';

/** Networks give an answer up after this. */
const TIMEOUT_MS = 6_000;
const TRY_AGAIN = 'error111';
const COMPANY = '400200';

/** Mixx asks who it is, and then has one message that validates and notifies at once. */
export function createMixxBillSteps(gateway: BillGateway): BillSteps {
  return {
    lookUp: (call, signal) => ask(gateway, call, { step: 'lookup', signal }),
    validate: async () => ({ kind: 'yes', message: 'Not asked' }),
    notify: (call, signal) => ask(gateway, call, { step: 'pay', signal }),
  };
}

async function ask(
  gateway: BillGateway,
  call: BillCall,
  { step, signal }: { step: W2aRequest['step']; signal: AbortSignal },
): Promise<StepReply> {
  const xml = writeW2aRequest({
    step,
    receipt: step === 'pay' ? call.receipt : null,
    msisdn: call.party,
    amount: step === 'pay' ? toDecimal(call.amount) : null,
    companyName: COMPANY,
    controlNumber: call.controlNumber,
    senderName: step === 'pay' ? ownerOf(call.party) : null,
  });
  try {
    const answer = await request(gateway.url + W2A_PATH, {
      method: 'POST',
      headers: {
        'content-type': 'text/xml',
        authorization: basicOf(gateway.credentials?.[call.network]),
      },
      body: xml,
      signal: AbortSignal.any([signal, AbortSignal.timeout(gateway.timeoutMs ?? TIMEOUT_MS)]),
    });
    return replyOf(answer.statusCode, Buffer.from(await answer.body.arrayBuffer()));
  } catch {
    return { kind: 'silent', message: 'The service did not answer' };
  }
}

function replyOf(status: number, body: Buffer): StepReply {
  const answer = status === 200 ? readW2aAnswer(body) : null;
  if (answer === null || answer.code === TRY_AGAIN)
    return { kind: 'silent', message: `The service answered ${status}` };
  if (!answer.accepted) return { kind: 'no', message: answer.message };
  const isLookup = answer.step === 'lookup';
  return { kind: 'yes', message: isLookup ? `${answer.message}: ${answer.content}` : answer.message };
}

function basicOf({ username, password }: BillCredentials = { username: '', password: '' }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
