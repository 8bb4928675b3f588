import { type BillReply, billReplyMessage, isTaken } from '../../domain/bill-reply.ts';
import { parseControlNumber } from '../../domain/control-number.ts';
import { type GatewayError, httpStatusOf } from '../../domain/errors.ts';
import { attemptOf, TEXT_CHARACTERS_MAX } from '../kit/bill-attempt.ts';
import { type Credentials, proofOfCredentials, textOf } from '../kit/bill-proof.ts';
import type { BillDoors, BillService, DoorAnswer, DoorCall } from '../kit/door.ts';
import { XML_BYTES_MAX } from '../kit/xml.ts';
import {
  type ErrorTag,
  readW2aRequest,
  W2A_PATH,
  type W2aAnswer,
  type W2aRequest,
  writeW2aAnswer,
} from './bill-wire.ts';

/** A secret in the address is the password of this user name. */
const ADDRESS_USERNAME = 'address';

const GENERAL_ERROR = 'error100';
const MANDATORY_MISSING = 'error112';
const replies: Record<BillReply, string> = {
  ok: 'error000',
  duplicate: 'error000',
  unknown_reference: 'error010',
  bill_closed: 'error011',
  in_progress: 'error011',
  amount_invalid: 'error012',
  amount_too_high: 'error014',
  amount_too_low: 'error015',
  try_again: 'error111',
};
/** A lookup has its own code for a bill that takes no money: "suspended". */
const LOOKUP_OF_CLOSED = 'error020';
const WRONG_FORMAT = 'error030';

type Said = Pick<W2aAnswer, 'accepted' | 'code' | 'message'> &
  Partial<Pick<W2aAnswer, 'content' | 'reference'>>;

/** HTTP Basic or a secret in the address proves the sender. Every decision is 200; error111: try again. */
export function createMixxBillDoors(account: Credentials & { errorTag?: ErrorTag }): BillDoors {
  return {
    doors: [W2A_PATH, `${W2A_PATH}/:secret`].map((path) => ({
      name: 'mixx-w2a',
      method: 'POST',
      path,
      answer: (call, bills) => answer(call, bills, account.errorTag ?? 'ERRORDESC'),
    })),
    prove: (call) => proofOfCredentials(credentialsOf(call), account),
    secrets: [textOf(account)],
  };
}

async function answer(call: DoorCall, bills: BillService, errorTag: ErrorTag): Promise<DoorAnswer> {
  let request: W2aRequest | null = null;
  const say = (status: number, said: Said, headers = {}): DoorAnswer => ({
    status,
    headers,
    contentType: 'application/xml; charset=utf-8',
    body: writeW2aAnswer(
      {
        step: request?.step ?? 'pay',
        receipt: request?.receipt ?? null,
        reference: null,
        msisdn: request?.msisdn ?? null,
        content: said.message,
        ...said,
      },
      errorTag,
    ),
  });
  try {
    const network = await bills.networkOf();
    request = readW2aRequest(await call.body(XML_BYTES_MAX));
    if (request === null) return say(400, refusal(GENERAL_ERROR, 'This is no message of this protocol'));
    if (request.step === 'lookup') return say(200, await lookUp(bills, request));
    return say(200, await pay(bills, { ...request, network }));
  } catch (error) {
    const fault = call.faultOf(error);
    return say(statusOf(fault), saidOf(fault), fault.detail.headers);
  }
}

function credentialsOf(call: DoorCall): Credentials {
  const basic = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(call.header('authorization'))?.[1];
  if (basic === undefined) {
    const password = call.params.secret ?? '';
    return { username: password === '' ? '' : ADDRESS_USERNAME, password };
  }
  const [username = '', ...rest] = Buffer.from(basic, 'base64').toString('utf8').split(':');
  return { username, password: rest.join(':') };
}

async function lookUp(bills: BillService, request: W2aRequest): Promise<Said> {
  const controlNumber = parseControlNumber(request.controlNumber);
  if (controlNumber === null) return refusal(WRONG_FORMAT, billReplyMessage.unknown_reference);
  const bill = await bills.lookUp(controlNumber);
  if (!bill) return ofReply('unknown_reference');
  if (!bill.open) return { ...ofReply('bill_closed'), code: LOOKUP_OF_CLOSED };
  return { ...ofReply('ok'), content: bill.merchantName };
}

async function pay(
  bills: BillService,
  request: W2aRequest & { network: Awaited<ReturnType<BillService['networkOf']>> },
): Promise<Said> {
  const { network, receipt, controlNumber, amount, msisdn, senderName } = request;
  if (receipt === null || receipt.length > TEXT_CHARACTERS_MAX)
    return refusal(MANDATORY_MISSING, 'TXNID is required');
  const said = { receipt, number: controlNumber, amount, msisdn, fullName: senderName };
  const { reply, transactionId } = await bills.receive(attemptOf(network, said));
  return { ...ofReply(reply), reference: transactionId };
}

function ofReply(reply: BillReply): Said {
  return { accepted: isTaken(reply), code: replies[reply], message: billReplyMessage[reply] };
}

function refusal(code: string, message: string): Said {
  return { accepted: false, code, message };
}

/** A 5xx decides nothing, so the network must ask again. */
function saidOf(fault: GatewayError): Said {
  return httpStatusOf[fault.code] >= 500 ? ofReply('try_again') : refusal(GENERAL_ERROR, fault.message);
}

function statusOf(fault: GatewayError): number {
  const status = httpStatusOf[fault.code];
  return status >= 500 ? 200 : status;
}
