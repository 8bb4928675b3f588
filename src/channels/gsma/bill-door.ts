import { isTaken } from '../../domain/bill-reply.ts';
import { parseControlNumber } from '../../domain/control-number.ts';
import { type ErrorCode, type GatewayError, httpStatusOf } from '../../domain/errors.ts';
import { CURRENCY } from '../../domain/money.ts';
import type { Network } from '../../domain/network.ts';
import { proofOfToken } from '../kit/bill-proof.ts';
import type { BillDoor, BillDoors, BillService, DoorAnswer, DoorCall } from '../kit/door.ts';
import { type Page, pageHeaders, readPage } from './bill-page.ts';
import {
  acceptedPayment,
  billOf,
  billRefusal,
  type GsmaErrorAnswer,
  type GsmaFault,
  gsmaFault,
  listedPayment,
  readBillPayment,
} from './bill-translate.ts';
import { GSMA_BILLS_PATH } from './bill-wire.ts';

const CORRELATION_CHARACTERS_MAX = 256;
const ACCOUNT_PATH = `${GSMA_BILLS_PATH}/accounts/accountid/:account/bills`;
type Asked = { bills: BillService; network: Network; call: DoorCall };
type Handle = (asked: Asked) => Promise<DoorAnswer>;

/** In GSMA 1.2 the account is the bill. There is no validation step: the payment itself is decided. */
export function createGsmaBillDoors(tokens: readonly string[]): BillDoors {
  return {
    doors: [
      door('GET', ACCOUNT_PATH, listBills),
      door('GET', `${ACCOUNT_PATH}/:billReference/payments`, listPayments),
      door('POST', `${ACCOUNT_PATH}/:billReference/payments`, pay),
      door('POST', `${GSMA_BILLS_PATH}/bills/:billReference/payments`, pay),
    ],
    prove: (call) => proofOfToken(call, tokens),
    secrets: tokens,
  };
}

function door(method: 'GET' | 'POST', path: string, handle: Handle): BillDoor {
  return {
    name: `channels/gsma/bills${path.endsWith('payments') ? '/payments' : ''}`,
    method,
    path,
    answer: async (call, bills) => {
      const answer = await bills
        .networkOf()
        .then((network) => handle({ call, bills, network }))
        .catch((error) => ofFault(call.faultOf(error), call.now()));
      return { ...answer, headers: { 'X-Date': call.now().toISOString(), ...answer.headers } };
    },
  };
}

async function listBills({ bills, call }: Asked): Promise<DoorAnswer> {
  const page = readPage(call.query);
  const bill = await bills.lookUp(parseControlNumber(call.params.account ?? ''));
  if (!bill) return ofError(billRefusal('unknown_reference', call.now()));
  // A closed bill with money missing is neither paid nor unpaid, so it is not shown.
  const isShown = bill.open || bill.outstanding === 0;
  return listOf(isShown ? [bill] : [], page, { timeOf: (one) => one.createdAt, present: billOf });
}

async function listPayments({ bills, call, network }: Asked): Promise<DoorAnswer> {
  const page = readPage(call.query);
  const bill = await bills.lookUp(numberOf(call));
  if (!bill) return ofError(billRefusal('unknown_reference', call.now()));
  const payments = await bills.paymentsOf(bill.transactionId);
  const { currency, transactionId: reference } = bill;
  return listOf(
    payments.filter((payment) => payment.channel === network.id),
    page,
    {
      timeOf: (payment) => payment.receivedAt,
      present: (payment) => listedPayment({ ...payment, currency, reference }),
    },
  );
}

async function pay({ bills, call, network }: Asked): Promise<DoorAnswer> {
  const payment = readBillPayment((await call.json()) as object);
  if ('wrong' in payment) return refused(payment.wrong, payment.message, call.now());
  const correlationId = call.header('X-CorrelationID').trim().slice(0, CORRELATION_CHARACTERS_MAX);
  const receipt = payment.receipt ?? correlationId;
  if (receipt === '')
    return refused(
      'mandatoryValueNotSupplied',
      'requestingOrganisationTransactionReference is required',
      call.now(),
    );
  const { amount, amountAsSent, currency, msisdn, payerAccount = null, fullName } = payment;
  const { reply, transactionId } = await bills.receive({
    network,
    // A correlation id is made for each try, so it is no receipt; it only helps to find the payment.
    receipt,
    hasReceipt: payment.receipt !== null,
    controlNumber: numberOf(call),
    controlNumberAsSent: (call.params.billReference ?? '').slice(0, 256),
    amount,
    amountAsSent,
    currency,
    msisdn,
    payerAccount,
    fullName,
  });
  if (isTaken(reply)) return { status: 201, body: acceptedPayment({ ...payment, receipt }, transactionId) };
  if (reply === 'amount_invalid' && payment.currency !== CURRENCY)
    return refused('currencyNotSupported', `Bills are paid in ${CURRENCY}`, call.now());
  return ofError(billRefusal(reply, call.now()));
}

/** Returns null if the path's two numbers differ, or the bill is not ours. */
function numberOf({ params }: DoorCall): string | null {
  const { account, billReference = '' } = params;
  const controlNumber = parseControlNumber(billReference);
  const isOne = account === undefined || parseControlNumber(account) === controlNumber;
  return isOne ? controlNumber : null;
}

function listOf<T>(
  all: T[],
  page: Page,
  how: { timeOf: (item: T) => string; present: (item: T) => unknown },
): DoorAnswer {
  const available = all.filter((item) => page.includes(how.timeOf(item)));
  const shown = available.slice(page.offset, page.offset + page.limit);
  return {
    status: 200,
    body: shown.map(how.present),
    headers: pageHeaders({ available: available.length, returned: shown.length }),
  };
}

function refused(code: GsmaFault, message: string, at: Date): DoorAnswer {
  return ofError(gsmaFault(code, { message, at }));
}

function ofError({ status, error }: GsmaErrorAnswer): DoorAnswer {
  return { status, body: error };
}

/** The standard has no 413, 415 or 429, so an unread body is a validation error. */
const faultCodes: Partial<Record<ErrorCode, GsmaFault>> = {
  unauthorized: 'clientAuthorisationError',
  rate_limited: 'clientAuthorisationError',
  payload_too_large: 'lengthError',
  unavailable: 'genericError',
};

function ofFault(fault: GatewayError, at: Date): DoorAnswer {
  const { message, detail } = fault;
  const known = gsmaFault(faultCodes[fault.code] ?? 'formatError', { message, at });
  if (fault.code === 'rate_limited') return { status: 429, body: known.error, headers: detail.headers ?? {} };
  if (httpStatusOf[fault.code] !== 500) return ofError(known);
  const { error } = gsmaFault('genericError', { message, at });
  return { status: 500, body: { ...error, errorCategory: 'internal' } };
}
