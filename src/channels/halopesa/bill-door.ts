import { isDeepStrictEqual } from 'node:util';
import { type BillReply, billReplyMessage, isTaken } from '../../domain/bill-reply.ts';
import { GatewayError, httpStatusOf } from '../../domain/errors.ts';
import type { Network } from '../../domain/network.ts';
import { attemptOf, TEXT_CHARACTERS_MAX } from '../kit/bill-attempt.ts';
import { type Credentials, proofOfCredentials, proofOfShortCode, textOf } from '../kit/bill-proof.ts';
import type { BillDoors, BillService, DoorAnswer, DoorCall, Proof } from '../kit/door.ts';
import { allSecrets, isSameSecret, type Secrets } from '../kit/secret.ts';
import { XML_BYTES_MAX } from '../kit/xml.ts';
import { writeAnswer } from './answer.ts';
import { defaultAnswers, type HalopesaAnswers } from './settings.ts';
import {
  checkSumOf,
  HALOPESA_BILL_PATH,
  type HaloRequest,
  isExact,
  readRequest,
  scanRequest,
  wireTime,
} from './wire.ts';

type Account = Credentials & { secret: Secrets; shortCode?: string | undefined };

/**
 * One message reports a payment from the menu and asks us to decide. Its password and checksum must be right.
 */
export function createHalopesaBillDoors(account: Account & { answers?: HalopesaAnswers }): BillDoors {
  return {
    doors: [
      {
        name: 'halopesa-soap',
        method: 'POST',
        path: HALOPESA_BILL_PATH,
        answer: (call, bills) => answer(call, bills, account.answers ?? defaultAnswers),
      },
    ],
    prove: async (call) => prove(await call.body(XML_BYTES_MAX), account, call.now()),
    secrets: [textOf(account)],
    shortCode: account.shortCode,
  };
}

async function answer(call: DoorCall, bills: BillService, answers: HalopesaAnswers): Promise<DoorAnswer> {
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
    const body = await call.body(XML_BYTES_MAX);
    const network = await bills.networkOf();
    const request = readRequest(body);
    if (!request || !isDeepStrictEqual(request, scanRequest(body)))
      throw new GatewayError('invalid_json', 'This is no message of this protocol');
    const { reply, transactionId } = await pay(bills, request, network);
    if (reply === 'try_again') throw new GatewayError('unavailable', billReplyMessage.try_again);
    return say(200, {
      accepted: isTaken(reply),
      message: billReplyMessage[reply],
      reference: transactionId ?? '',
    });
  } catch (error) {
    const fault = call.faultOf(error);
    const said = { accepted: false, message: fault.message, reference: '' };
    return say(httpStatusOf[fault.code], said, fault.detail.headers);
  }
}

/** The proof is in the message, so it is checked before the message is read. */
function prove(body: Buffer, account: Account, now: Date): Proof {
  const scanned = scanRequest(body);
  const { username = '', password = '', checkSum = '' } = scanned ?? {};
  const proof = proofOfCredentials({ username, password }, account);
  if (proof !== 'proven' || scanned === null) return proof;
  if (!isExact(scanned, now.getTime()))
    return { why: 'request_time, amount or sender_msisdn has not its form', isWrong: true };
  const expected = allSecrets(account.secret).map((one) => checkSumOf(scanned, one));
  if (isSameSecret(checkSum.toLowerCase(), expected))
    return proofOfShortCode(proof, scanned.businessNumber, account.shortCode);
  return { why: 'The check sum is not accepted', isWrong: true };
}

async function pay(
  bills: BillService,
  request: HaloRequest,
  network: Network,
): Promise<{ reply: BillReply; transactionId: string | null }> {
  const { requestId, reference, amount, sender } = request;
  if (requestId === '' || requestId.length > TEXT_CHARACTERS_MAX)
    throw new GatewayError('invalid_json', 'requestid is required');
  const said = { receipt: requestId, number: reference, amount, msisdn: sender };
  return bills.receive(attemptOf(network, said));
}
