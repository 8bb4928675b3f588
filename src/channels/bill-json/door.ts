import { parseControlNumber } from '../../domain/control-number.ts';
import { GatewayError, httpStatusOf } from '../../domain/errors.ts';
import type { Network } from '../../domain/network.ts';
import { attemptOf } from '../kit/bill-attempt.ts';
import { proofOfToken } from '../kit/bill-proof.ts';
import {
  type BillDoors,
  type BillService,
  DOOR_BYTES_MAX,
  type DoorAnswer,
  type DoorCall,
  type Proof,
} from '../kit/door.ts';
import { isSignedRequest, keyNameOf, SIGNATURE_HEADER } from '../kit/signature.ts';
import { type BillJsonRequest, billJsonAnswer, faultAnswer, readBillJson } from './translate.ts';
import { BILL_JSON_PATH, BILL_JSON_STEPS, type BillJsonStep, type WireBillJsonAnswer } from './wire.ts';

type Account = {
  tokens: readonly string[];
  operators?: Readonly<Record<string, string>> | undefined;
  /** if any is set, one of them must sign every message */
  signingKeys?: readonly { name: string; secret: string }[];
  /** path of PUBLIC_URL, which the signature covers */
  prefix?: string;
};

/**
 * Serves `POST /channels/bill/{lookup|validation|notification}`: a decision is HTTP 200; an error decides
 * nothing.
 */
export function createBillJsonDoors(account: Account): BillDoors {
  return {
    doors: BILL_JSON_STEPS.map((step) => ({
      name: `channels/bill/${step}`,
      method: 'POST',
      path: `${BILL_JSON_PATH}/${step}`,
      answer: (call, bills) => answer(step, call, bills),
    })),
    prove: (call) => prove(call, account),
    secrets: account.tokens,
    operators: account.operators,
  };
}

async function prove(call: DoorCall, { tokens, signingKeys = [], prefix = '' }: Account): Promise<Proof> {
  const proof = proofOfToken(call, tokens);
  if (proof !== 'proven' || signingKeys.length === 0) return proof;
  const signature = call.header(SIGNATURE_HEADER);
  const secrets = signingKeys.flatMap(({ name, secret }) => (name === keyNameOf(signature) ? [secret] : []));
  const { method, path } = call;
  const message = { method, path: `${prefix}${path}`, body: await call.body(DOOR_BYTES_MAX) };
  if (isSignedRequest(signature, message, { secrets, now: call.now() })) return proof;
  return { why: `Sign the message: ${SIGNATURE_HEADER}`, isWrong: true };
}

async function answer(step: BillJsonStep, call: DoorCall, bills: BillService): Promise<DoorAnswer> {
  let request: BillJsonRequest | null = null;
  const readOnce = async () => {
    request ??= read(await call.json());
    return request;
  };
  try {
    const network = await bills.networkOf(async () => (await readOnce()).operator);
    const asked = await readOnce();
    const body =
      step === 'lookup' ? await lookUp(bills, asked) : await pay(bills, step, { network, request: asked });
    return { status: 200, body };
  } catch (error) {
    const fault = call.faultOf(error);
    const status = httpStatusOf[fault.code];
    const body = faultAnswer(request, { code: String(status), message: fault.message });
    return { status, headers: fault.detail.headers ?? {}, body };
  }
}

function read(body: unknown): BillJsonRequest {
  const request = readBillJson(body);
  if (request) return request;
  throw new GatewayError('invalid_json', 'Every field must be text of at most 256 characters, or a number');
}

async function lookUp(bills: BillService, request: BillJsonRequest): Promise<WireBillJsonAnswer> {
  const bill = await bills.lookUp(parseControlNumber(request.number));
  if (!bill) return billJsonAnswer(request, 'unknown_reference');
  const shown = { name: bill.merchantName, amount: bill.outstanding };
  return billJsonAnswer(request, bill.open ? 'ok' : 'bill_closed', bill.open ? shown : null);
}

async function pay(
  bills: BillService,
  step: 'validation' | 'notification',
  { network, request }: { network: Network; request: BillJsonRequest },
): Promise<WireBillJsonAnswer> {
  const { receipt, reference } = request;
  if (receipt === null) throw new GatewayError('invalid_json', 'transid is required');
  const attempt = attemptOf(network, { ...request, receipt, alsoKnownAs: [reference ?? ''] });
  const { reply } = step === 'validation' ? await bills.validate(attempt) : await bills.receive(attempt);
  return billJsonAnswer(request, reply);
}
