import { GatewayError, httpStatusOf } from '../../domain/errors.ts';
import { CURRENCY } from '../../domain/money.ts';
import type { Network } from '../../domain/network.ts';
import {
  type BillAttempt,
  type BillDoor,
  type BillService,
  DOOR_BYTES_MAX,
  type DoorAnswer,
  type DoorCall,
} from '../door.ts';
import { type BillJsonRequest, billJsonAnswer, faultAnswer, readBillJson } from './translate.ts';
import { BILL_JSON_PATH, BILL_JSON_STEPS, type BillJsonStep, type WireBillJsonAnswer } from './wire.ts';

/** `POST /channels/bill/{lookup|validation|notification}`: every decision is HTTP 200, what is none has an HTTP error. */
export const billJsonDoors: readonly BillDoor[] = BILL_JSON_STEPS.map((step) => ({
  name: `channels/bill/${step}`,
  method: 'POST',
  path: `${BILL_JSON_PATH}/${step}`,
  answer: (call, bills) => answer(step, call, bills),
}));

async function answer(step: BillJsonStep, call: DoorCall, bills: BillService): Promise<DoorAnswer> {
  let request: BillJsonRequest | null = null;
  const readOnce = async () => {
    request ??= read(await call.json());
    return request;
  };
  try {
    const network = await bills.networkOfToken({
      body: () => call.body(DOOR_BYTES_MAX),
      operatorOf: async () => (await readOnce()).operator,
    });
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
  const bill = await bills.lookUp(request.controlNumber);
  if (!bill) return billJsonAnswer(request, 'unknown_reference');
  const shown = { name: bill.merchantName, amount: bill.outstanding };
  return billJsonAnswer(request, bill.open ? 'ok' : 'bill_closed', bill.open ? shown : null);
}

async function pay(
  bills: BillService,
  step: 'validation' | 'notification',
  { network, request }: { network: Network; request: BillJsonRequest },
): Promise<WireBillJsonAnswer> {
  if (request.receipt === null) throw new GatewayError('invalid_json', 'transid is required');
  const { controlNumber, controlNumberAsSent, amount, msisdn, receipt } = request;
  const attempt: BillAttempt = {
    network,
    receipt,
    controlNumber,
    controlNumberAsSent,
    amount,
    // This form has none.
    currency: CURRENCY,
    msisdn,
    fullName: null,
  };
  const { reply } = step === 'validation' ? await bills.validate(attempt) : await bills.receive(attempt);
  return billJsonAnswer(request, reply);
}
