import { toDecimal } from '../../../src/domain/money.ts';
import { askGateway, notAsked, silent } from '../bills/ask.ts';
import type { BillCall, BillCredentials, BillGateway, BillSteps, StepReply } from '../bills/bill-step.ts';
import { ownerOf } from '../core/scenario.ts';
import type { Answered } from '../core/wire-log.ts';
import { commandXml, readCommand } from './wire.ts';

const DOOR = '/channels/mixx-w2a';

const TRY_AGAIN = 'error111';
const COMPANY = '400200';

/** Mixx looks the bill up; then one message both validates and notifies. */
export function createMixxBillSteps(gateway: BillGateway): BillSteps {
  return {
    lookUp: (call, signal) => ask(gateway, call, { step: 'lookup', signal }),
    validate: notAsked,
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
  const headers = {
    'content-type': 'text/xml',
    authorization: basicOf(gateway.credentials?.[call.network]),
  };
  return replyOf(await askGateway(gateway, DOOR, { headers, body: xml, signal }));
}

/** Result and code must agree, or the answer does not count. */
function replyOf(answered: Answered | null): StepReply {
  const answer = answered?.status === 200 ? readCommand(answered.bytes) : null;
  const [result, code] = [answer?.text('RESULT'), answer?.text('ERRORCODE')];
  const isKnown = /^SYNC_(LOOKUP|BILLPAY)_RESPONSE$/.test(answer?.type ?? '') && code && result;
  if (!answer || !isKnown || code === TRY_AGAIN || (result === 'TS') !== (code === 'error000'))
    return silent(answered);
  const message = answer.text('ERRORDESC') ?? answer.text('ERRORDESCRIPTION') ?? '';
  if (result !== 'TS') return { kind: 'no', message };
  const isLookup = answer.type === 'SYNC_LOOKUP_RESPONSE';
  return { kind: 'yes', message: isLookup ? `${message}: ${answer.text('CONTENT') ?? ''}` : message };
}

function basicOf({ username, password }: BillCredentials = { username: '', password: '' }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
