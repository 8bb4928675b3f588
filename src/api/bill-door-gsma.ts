import {
  acceptedPayment,
  billOf,
  billRefusal,
  type GsmaErrorAnswer,
  type GsmaFault,
  gsmaFault,
  listedPayment,
  readBillPayment,
} from '../channels/gsma/bill-translate.ts';
import { GSMA_BILLS_PATH } from '../channels/gsma/bill-wire.ts';
import { parseControlNumber } from '../domain/control-number.ts';
import { type ErrorCode, type GatewayError, httpStatusOf } from '../domain/errors.ts';
import { CURRENCY, minor } from '../domain/money.ts';
import type { Network } from '../domain/network.ts';
import type { Door, DoorContext } from './app.ts';
import { type BillCounter, faultOf } from './bill-counter.ts';
import { type Page, pageHeaders, readPage } from './bill-page.ts';
import { JSON_BYTES_MAX, readBody, requireJsonMediaType } from './body.ts';
import { parseJsonObject } from './json.ts';
import { sendJson, setStatus } from './middleware/envelope.ts';

const CORRELATION_CHARACTERS_MAX = 256;
type Answer = { status: number; body: unknown; headers?: Record<string, string> };
type Call = { counter: BillCounter; network: Network; context: DoorContext; now: () => Date };

/**
 * Bills of the GSMA Mobile Money API 1.2: the account is the bill, so its identifier is the control number too. There
 * is no leg that validates: the provider looks up, and its one payment decides.
 */
export function gsmaBillDoors(counter: BillCounter, now: () => Date): Door[] {
  const account = `${GSMA_BILLS_PATH}/accounts/accountid/:account/bills`;
  const door = (method: 'GET' | 'POST', path: string, handle: (call: Call) => Promise<Answer>): Door => ({
    name: `channels/gsma/bills${path.endsWith('payments') ? '/payments' : ''}`,
    method,
    path,
    handle: (context) => serve({ counter, context, now }, handle),
  });
  return [
    door('GET', account, listBills),
    door('GET', `${account}/:billReference/payments`, listPayments),
    door('POST', `${account}/:billReference/payments`, pay),
    door('POST', `${GSMA_BILLS_PATH}/bills/:billReference/payments`, pay),
  ];
}

async function serve(call: Omit<Call, 'network'>, handle: (call: Call) => Promise<Answer>): Promise<void> {
  const { context, now, counter } = call;
  const answer = await counter
    .networkOf(context)
    .then((network) => handle({ ...call, network }))
    .catch((error) => ofFault(faultOf(error, context.state.log), now()));
  setStatus(context, answer.status);
  context.set({ 'X-Date': now().toISOString(), ...answer.headers });
  sendJson(context, JSON.stringify(answer.body));
}

async function listBills({ counter, context, now }: Call): Promise<Answer> {
  const page = readPage(context);
  const bill = await counter.lookUp(parseControlNumber(context.params.account ?? ''));
  if (!bill) return ofError(billRefusal('unknown_reference', now()));
  // One that takes no more money although some is missing is neither unpaid nor paid: there is no bill to show.
  const isShown = bill.open || bill.outstanding === 0;
  return listOf(isShown ? [bill] : [], page, { timeOf: (one) => one.createdAt, present: billOf });
}

/** Only what came over the asking network: other payments are other people's business. */
async function listPayments({ counter, context, network, now }: Call): Promise<Answer> {
  const page = readPage(context);
  const bill = await counter.lookUp(numberOf(context));
  if (!bill) return ofError(billRefusal('unknown_reference', now()));
  const payments = await counter.paymentsOf(bill.transactionId);
  return listOf(
    payments.filter((payment) => payment.channel === network.id),
    page,
    {
      timeOf: (payment) => payment.receivedAt,
      present: (payment) =>
        listedPayment({
          ...payment,
          amount: minor(payment.amount),
          currency: bill.currency,
          reference: bill.transactionId,
        }),
    },
  );
}

async function pay({ counter, context, network, now }: Call): Promise<Answer> {
  requireJsonMediaType(context.req);
  const payment = readBillPayment(parseJsonObject(await readBody(context.req, JSON_BYTES_MAX)).value);
  if ('wrong' in payment) return refused(payment.wrong, payment.message, now);
  const correlationId = context.get('X-CorrelationID').trim().slice(0, CORRELATION_CHARACTERS_MAX);
  const receipt = payment.receipt ?? correlationId;
  if (receipt === '')
    return refused(
      'mandatoryValueNotSupplied',
      'requestingOrganisationTransactionReference is required',
      now,
    );
  const { reply, transactionId } = await counter.receive(
    {
      network,
      receipt,
      controlNumber: numberOf(context),
      controlNumberAsSent: (context.params.billReference ?? '').slice(0, 256),
      amount: payment.amount,
      currency: payment.currency,
      msisdn: payment.msisdn,
      fullName: payment.fullName,
    },
    context.state.log,
  );
  if (reply === 'ok' || reply === 'duplicate')
    return { status: 201, body: acceptedPayment({ ...payment, receipt }, transactionId) };
  if (reply === 'amount_invalid' && payment.currency !== CURRENCY)
    return refused('currencyNotSupported', `Bills are paid in ${CURRENCY}`, now);
  return ofError(billRefusal(reply, now()));
}

/** The bill that a path names; null when its two numbers are not one, or it is none of ours. */
function numberOf(context: DoorContext): string | null {
  const { account, billReference = '' } = context.params;
  const controlNumber = parseControlNumber(billReference);
  const isOne = account === undefined || parseControlNumber(account) === controlNumber;
  return isOne ? controlNumber : null;
}

function listOf<T>(
  all: T[],
  page: Page,
  how: { timeOf: (item: T) => string; present: (item: T) => unknown },
): Answer {
  const available = all.filter((item) => page.includes(how.timeOf(item)));
  const shown = available.slice(page.offset, page.offset + page.limit);
  return {
    status: 200,
    body: shown.map(how.present),
    headers: pageHeaders({ available: available.length, returned: shown.length }),
  };
}

function refused(code: GsmaFault, message: string, now: () => Date): Answer {
  return ofError(gsmaFault(code, { message, at: now() }));
}

function ofError({ status, error }: GsmaErrorAnswer): Answer {
  return { status, body: error };
}

/** The standard has no 413 or 415: a body that we do not read is a validation error. It has no code for a 429 either. */
const faultCodes: Partial<Record<ErrorCode, GsmaFault>> = {
  unauthorized: 'clientAuthorisationError',
  rate_limited: 'clientAuthorisationError',
  payload_too_large: 'lengthError',
  unavailable: 'genericError',
};

function ofFault(fault: GatewayError, at: Date): Answer {
  const { message, detail } = fault;
  const known = gsmaFault(faultCodes[fault.code] ?? 'formatError', { message, at });
  if (fault.code === 'rate_limited') return { status: 429, body: known.error, headers: detail.headers ?? {} };
  if (httpStatusOf[fault.code] !== 500) return ofError(known);
  const { error } = gsmaFault('genericError', { message, at });
  return { status: 500, body: { ...error, errorCategory: 'internal' } };
}
