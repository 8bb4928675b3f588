import { toDecimal } from '../../domain/money.ts';
import type { BillCall, BillCredentials, BillGateway, BillSteps, StepReply } from '../bills/bill-steps.ts';
import { ownerOf } from '../core/scenario.ts';
import { askService } from '../core/wire-log.ts';
import { commandXml, readCommand } from './wire.ts';

/** Where a service takes both messages, below its address. */
const DOOR = '/channels/mixx-w2a';

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
  { step, signal }: { step: 'lookup' | 'pay'; signal: AbortSignal },
): Promise<StepReply> {
  const xml =
    step === 'lookup'
      ? commandXml('SYNC_LOOKUP_REQUEST', [
          ['MSISDN', call.party],
          ['COMPANYNAME', COMPANY],
          ['CUSTOMERREFERENCEID', call.controlNumber],
        ])
      : commandXml('SYNC_BILLPAY_REQUEST', [
          ['TXNID', call.receipt],
          ['MSISDN', call.party],
          ['AMOUNT', toDecimal(call.amount)],
          ['COMPANYNAME', COMPANY],
          ['CUSTOMERREFERENCEID', call.controlNumber],
          ['SENDERNAME', ownerOf(call.party) ?? ''],
        ]);
  try {
    const answer = await (gateway.ask ?? askService)(gateway.url + DOOR, {
      method: 'POST',
      headers: {
        'content-type': 'text/xml',
        authorization: basicOf(gateway.credentials?.[call.network]),
      },
      body: xml,
      signal: AbortSignal.any([signal, AbortSignal.timeout(gateway.timeoutMs ?? TIMEOUT_MS)]),
    });
    return replyOf(answer.status, answer.bytes);
  } catch {
    return { kind: 'silent', message: 'The service did not answer' };
  }
}

/** Result and code have to say the same, else the service has said nothing. */
function replyOf(status: number, body: Buffer): StepReply {
  const answer = status === 200 ? readCommand(body) : null;
  const [result, code] = [answer?.text('RESULT'), answer?.text('ERRORCODE')];
  const isKnown = /^SYNC_(LOOKUP|BILLPAY)_RESPONSE$/.test(answer?.type ?? '') && code && result;
  if (!answer || !isKnown || code === TRY_AGAIN || (result === 'TS') !== (code === 'error000'))
    return { kind: 'silent', message: `The service answered ${status}` };
  const message = answer.text('ERRORDESC') ?? answer.text('ERRORDESCRIPTION') ?? '';
  if (result !== 'TS') return { kind: 'no', message };
  const isLookup = answer.type === 'SYNC_LOOKUP_RESPONSE';
  return { kind: 'yes', message: isLookup ? `${message}: ${answer.text('CONTENT') ?? ''}` : message };
}

function basicOf({ username, password }: BillCredentials = { username: '', password: '' }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
