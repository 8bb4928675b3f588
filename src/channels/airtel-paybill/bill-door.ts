import { billReplyMessage, isTaken } from '../../domain/bill-reply.ts';
import { GatewayError, httpStatusOf } from '../../domain/errors.ts';
import { parseMsisdn } from '../../domain/msisdn.ts';
import type { Network } from '../../domain/network.ts';
import { attemptOf } from '../kit/bill-attempt.ts';
import { type Credentials, proofOfCredentials, proofOfShortCode, textOf } from '../kit/bill-proof.ts';
import type { BillAttempt, BillDecided, BillDoors, BillService, DoorAnswer, DoorCall } from '../kit/door.ts';
import { namesOf } from '../kit/receipt-fields.ts';
import { XML_BYTES_MAX } from '../kit/xml.ts';
import {
  AIRTEL_PAYBILL_PATH,
  AIRTEL_PAYBILL_STEPS,
  type AirtelPaybillStep,
  CONTENT_TYPE,
  readCommand,
  scanSender,
  type WirePaybillAnswer,
  type WirePaybillCommand,
  writeCommand,
} from './bill-wire.ts';

/** Only the field `receiptIn` identifies a payment: with two fields it would count twice. */
type Account = Credentials & { receiptIn: 'REFERENCE1' | 'REFERENCE2'; shortCode?: string | undefined };

export function createAirtelPaybillDoors(account: Account): BillDoors {
  return {
    doors: AIRTEL_PAYBILL_STEPS.map((step) => ({
      name: `channels/airtel-paybill/${step}`,
      method: 'POST',
      path: `${AIRTEL_PAYBILL_PATH}/${step}`,
      answer: (call, bills) => answer({ step, account }, call, bills),
    })),
    prove: async (call) => {
      const { shortCode, ...credentials } = scanSender(await call.body(XML_BYTES_MAX));
      return proofOfShortCode(proofOfCredentials(credentials, account), shortCode, account.shortCode);
    },
    secrets: [textOf(account)],
    shortCode: account.shortCode,
  };
}

/** A decision is HTTP 200. Any other status decides nothing; the network asks again after a 5xx. */
async function answer(
  { step, account }: { step: AirtelPaybillStep; account: Account },
  call: DoorCall,
  bills: BillService,
): Promise<DoorAnswer> {
  try {
    const body = await call.body(XML_BYTES_MAX);
    const network = await bills.networkOf();
    const command = readCommand(body);
    const isSame = command?.USERNAME === account.username && command.PASSWORD === account.password;
    if (!command || !isSame) throw new GatewayError('invalid_json', 'This is no COMMAND that we can read');
    const said =
      step === 'enquiry'
        ? await enquire(bills, network, command)
        : await pay(bills, step, reported(command, { network, step, account }));
    return xml(200, said);
  } catch (error) {
    const fault = call.faultOf(error);
    const status = httpStatusOf[fault.code];
    const said = { STATUS: status >= 500 ? '503' : '400', MESSAGE: fault.message };
    return { ...xml(status, said), headers: fault.detail.headers ?? {} };
  }
}

async function pay(
  bills: BillService,
  step: 'validate' | 'process',
  attempt: BillAttempt,
): Promise<WirePaybillAnswer> {
  if (attempt.receipt === '')
    throw new GatewayError('invalid_json', 'The reference of the payment is required');
  const { reply, transactionId } =
    step === 'validate' ? await bills.validate(attempt) : await bills.receive(attempt);
  // Money taken without a bill has no id of ours, so its receipt takes that place.
  const txnid = step === 'process' && isTaken(reply) ? (transactionId ?? attempt.receipt) : undefined;
  return {
    STATUS: statusOf(reply),
    ...(txnid ? { TXNID: txnid } : {}),
    MESSAGE: billReplyMessage[reply],
  };
}

/** Finds a payment by our id, or by the network's if our answer was lost. */
async function enquire(
  bills: BillService,
  network: Network,
  command: WirePaybillCommand,
): Promise<WirePaybillAnswer> {
  const name = command.TXNID?.trim() ?? '';
  if (name === '') throw new GatewayError('invalid_json', 'TXNID is required');
  const msisdn = parseMsisdn(command.MSISDN ?? command.CUSTOMERMSISDN ?? '');
  const decided = await bills.decidedBefore({ network, name, msisdn });
  if (!decided) return { STATUS: '404', MESSAGE: 'There is no payment with this number' };
  const { reply, transactionId } = decided;
  return {
    STATUS: statusOf(reply),
    MESSAGE: billReplyMessage[reply],
    REF: transactionId ?? name,
  };
}

/** A validation stores nothing, so REFERENCE1 identifies it even if REFERENCE2 is the receipt. */
function reported(
  command: WirePaybillCommand,
  { network, step, account }: { network: Network; step: AirtelPaybillStep; account: Account },
): BillAttempt {
  const { REFERENCE1, REFERENCE2 } = command;
  const field = step === 'validate' ? 'REFERENCE1' : account.receiptIn;
  const names = namesOf(field, { REFERENCE1, REFERENCE2 }, '');
  return attemptOf(network, {
    receipt: names.channelReference ?? '',
    alsoKnownAs: names.alsoKnownAs,
    number: command.REFERENCE,
    amount: command.AMOUNT,
    msisdn: command.CUSTOMERMSISDN,
    fullName: command.CUSTOMERNAME,
  });
}

function xml(status: number, { STATUS, TXNID, MESSAGE, REF }: WirePaybillAnswer): DoorAnswer {
  return { status, contentType: CONTENT_TYPE, body: writeCommand({ STATUS, TXNID, MESSAGE, REF }) };
}

const statusOf = (reply: BillDecided['reply']) => (isTaken(reply) ? '200' : '400');
