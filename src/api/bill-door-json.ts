import {
  type BillJsonRequest,
  billJsonAnswer,
  faultAnswer,
  readBillJson,
} from '../channels/bill-json/translate.ts';
import { BILL_JSON_LEGS, BILL_JSON_PATH, type BillJsonLeg } from '../channels/bill-json/wire.ts';
import { GatewayError, httpStatusOf } from '../domain/errors.ts';
import { CURRENCY } from '../domain/money.ts';
import type { Network } from '../domain/network.ts';
import type { Door, DoorContext } from './app.ts';
import { type Attempt, type BillCounter, faultOf } from './bill-counter.ts';
import { JSON_BYTES_MAX, readBody, requireJsonMediaType } from './body.ts';
import { parseJsonObject } from './json.ts';
import { sendJson, setStatus } from './middleware/envelope.ts';

/** `POST /channels/bill/{lookup|validation|notification}`: every decision is HTTP 200, what is none has an HTTP error. */
export function billJsonDoors(counter: BillCounter): Door[] {
  return BILL_JSON_LEGS.map((leg) => ({
    name: `channels/bill/${leg}`,
    method: 'POST',
    path: `${BILL_JSON_PATH}/${leg}`,
    handle: (context) => serve(counter, leg, context),
  }));
}

async function serve(counter: BillCounter, leg: BillJsonLeg, context: DoorContext): Promise<void> {
  let request: BillJsonRequest | null = null;
  try {
    const network = await counter.networkOf(context);
    request = await read(context);
    const answer =
      leg === 'lookup'
        ? await lookUp(counter, request)
        : await pay(counter, leg, { network, request, context });
    sendJson(context, JSON.stringify(answer));
  } catch (error) {
    const fault = faultOf(error, context.state.log);
    setStatus(context, httpStatusOf[fault.code]);
    context.set(fault.detail.headers ?? {});
    const { message } = fault;
    sendJson(context, JSON.stringify(faultAnswer(request, { code: String(context.status), message })));
  }
}

async function read(context: DoorContext): Promise<BillJsonRequest> {
  requireJsonMediaType(context.req);
  const body = parseJsonObject(await readBody(context.req, JSON_BYTES_MAX));
  const request = readBillJson(body.value);
  if (request) return request;
  throw new GatewayError('invalid_json', 'Every field must be text of at most 256 characters, or a number');
}

async function lookUp(counter: BillCounter, request: BillJsonRequest) {
  const bill = await counter.lookUp(request.controlNumber);
  if (!bill) return billJsonAnswer(request, 'unknown_reference');
  const shown = { name: bill.merchantName, amount: bill.outstanding };
  return billJsonAnswer(request, bill.open ? 'ok' : 'bill_closed', bill.open ? shown : null);
}

async function pay(
  counter: BillCounter,
  leg: 'validation' | 'notification',
  { network, request, context }: { network: Network; request: BillJsonRequest; context: DoorContext },
) {
  if (request.receipt === null) throw new GatewayError('invalid_json', 'transid is required');
  const { controlNumber, controlNumberAsSent, amount, msisdn, receipt } = request;
  const attempt: Attempt = {
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
  const { log } = context.state;
  const { reply } =
    leg === 'validation' ? await counter.validate(attempt, log) : await counter.receive(attempt, log);
  return billJsonAnswer(request, reply);
}
