import { isDeepStrictEqual } from 'node:util';
import { type BillReply, billReplyCode, billReplyMessage } from '../../domain/bill-reply.ts';
import { parseControlNumber } from '../../domain/control-number.ts';
import { GatewayError, httpStatusOf } from '../../domain/errors.ts';
import { CURRENCY, minorFromDecimal } from '../../domain/money.ts';
import { parseMsisdn } from '../../domain/msisdn.ts';
import type { Network } from '../../domain/network.ts';
import { noteSecretUse } from '../../domain/secret-uses.ts';
import type { BillDoor, BillService, DoorAnswer, DoorCall } from '../door.ts';
import { isSameSecret, type Secrets } from '../secret.ts';
import { writeAnswer } from './answer.ts';
import { defaultAnswers, type HalopesaAnswers } from './settings.ts';
import {
  checkSumOf,
  HALOPESA_BILL_PATH,
  type HaloRequest,
  MESSAGE_BYTES_MAX,
  readRequest,
  scanRequest,
  wireTime,
} from './wire.ts';

const PROTOCOL = 'halopesa-soap';
const TEXT_CHARACTERS_MAX = 256;

/**
 * A customer has paid a bill from the wallet's menu: one message, which decides. User name and password stand in it;
 * with a `secret` its check sum has to be right as well.
 */
export function createHalopesaBillDoors(
  options: { secret?: Secrets; answers?: HalopesaAnswers } = {},
): readonly BillDoor[] {
  const answers = options.answers ?? defaultAnswers;
  return [
    {
      name: PROTOCOL,
      method: 'POST',
      path: HALOPESA_BILL_PATH,
      answer: (call, bills) => answer(call, bills, { secret: options.secret, answers }),
    },
  ];
}

export const halopesaBillDoors = createHalopesaBillDoors();

async function answer(
  call: DoorCall,
  bills: BillService,
  { secret, answers }: { secret: Secrets | undefined; answers: HalopesaAnswers },
): Promise<DoorAnswer> {
  const say = (
    status: number,
    said: { accepted: boolean; message: string; reference: string },
    headers = {},
  ) => {
    const texts = [
      ['responseType', said.accepted ? answers.success : answers.error],
      ['msg', said.message],
      ['reference_id', said.reference],
      ['response_time', wireTime(call.now().getTime())],
    ] as const;
    return { status, headers, ...writeAnswer(texts, answers.form) };
  };
  try {
    const body = await call.body(MESSAGE_BYTES_MAX);
    const network = await senderOf(bills, body, secret);
    const request = readRequest(body);
    if (!request || !isDeepStrictEqual(request, scanRequest(body)))
      throw new GatewayError('invalid_json', 'This is no message of this protocol');
    const { reply, transactionId } = await pay(bills, request, network);
    if (reply === 'try_again') throw new GatewayError('unavailable', billReplyMessage.try_again);
    const accepted = billReplyCode(PROTOCOL, reply) === billReplyCode(PROTOCOL, 'ok');
    return say(200, { accepted, message: billReplyMessage[reply], reference: transactionId ?? '' });
  } catch (error) {
    const fault = call.faultOf(error);
    const said = { accepted: false, message: fault.message, reference: '' };
    return say(httpStatusOf[fault.code], said, fault.detail.headers);
  }
}

/** The proof stands among what it proves: it is looked for, and right, before the message is read. */
async function senderOf(bills: BillService, body: Buffer, secret: Secrets | undefined): Promise<Network> {
  const scanned = scanRequest(body);
  const { username = '', password = '' } = scanned ?? {};
  const isWhole =
    scanned !== null && (secret === undefined || [secret].flat().some((one) => isSummedBy(scanned, one)));
  // A wrong check sum is a wrong proof, whatever the password: none is right that is empty.
  return bills.networkOf({ username, password: isWhole ? password : '' });
}

function isSummedBy(request: HaloRequest, secret: string): boolean {
  const isRight = isSameSecret(request.checkSum.toLowerCase(), checkSumOf(request, secret));
  if (isRight) noteSecretUse(secret);
  return isRight;
}

async function pay(
  bills: BillService,
  request: HaloRequest,
  network: Network,
): Promise<{ reply: BillReply; transactionId: string | null }> {
  const { requestId, reference, amount, sender } = request;
  if (requestId === '' || requestId.length > TEXT_CHARACTERS_MAX)
    throw new GatewayError('invalid_json', 'requestid is required');
  return bills.receive({
    network,
    receipt: requestId,
    controlNumber: parseControlNumber(reference),
    controlNumberAsSent: reference.slice(0, TEXT_CHARACTERS_MAX),
    amount: minorFromDecimal(amount),
    // This form has none.
    currency: CURRENCY,
    msisdn: parseMsisdn(sender),
    fullName: null,
  });
}
