import { v5 as uuidv5 } from 'uuid';
import {
  BILL_JSON_PATH,
  type BillJsonStep,
  billJsonAnswerSchema,
} from '../../../src/channels/bill-json/wire.ts';
import {
  billPaymentSchema,
  billsSchema,
  GSMA_BILLS_PATH,
  PAYER_NAME_KEY,
  PAYER_NUMBER_KEY,
  type WireBillPaymentRequest,
} from '../../../src/channels/gsma/bill-wire.ts';
import { errorSchema } from '../../../src/channels/gsma/wire.ts';
import { toDecimal } from '../../../src/domain/money.ts';
import { networkById } from '../../../src/domain/network.ts';
import { parseJson } from '../core/body.ts';
import { ownerOf } from '../core/scenario.ts';
import type { Answered } from '../core/wire-log.ts';
import { askGateway, notAsked, silent } from './ask.ts';
import type { BillCall, BillGateway, BillSteps, StepReply } from './bill-step.ts';

const CORRELATION_NAMESPACE = '4f3f1f9e-6f43-4d0c-9a52-6f0f6f8f3c11';

export type OtherSteps = Readonly<Record<string, BillSteps | undefined>>;

export function createBillSteps(gateway: BillGateway, others: OtherSteps): BillSteps {
  const ask = (question: Question) => askInJson(gateway, question);

  async function billJson(step: BillJsonStep, call: BillCall, signal: AbortSignal): Promise<StepReply> {
    const body = {
      operator: networkById(call.network)?.name ?? call.network,
      transid: call.receipt,
      reference: `${call.network}-${call.receipt}`,
      utilityref: call.controlNumber,
      ...(step === 'lookup' ? {} : { amount: toDecimal(call.amount) }),
      msisdn: call.party,
    };
    const sent = await ask({ ...call, method: 'POST', path: `${BILL_JSON_PATH}/${step}`, body, signal });
    const answer = billJsonAnswerSchema.safeParse(sent?.body);
    if (sent?.status !== 200 || !answer.success) return silent(sent);
    const { result, message, name } = answer.data;
    if (result === 'TRY_AGAIN') return silent(sent);
    return result === 'SUCCESS'
      ? { kind: 'yes', message, ...(name === null ? {} : { bill: name }) }
      : { kind: 'no', message };
  }

  async function gsmaLookUp(call: BillCall, signal: AbortSignal): Promise<StepReply> {
    const sent = await ask({ ...call, method: 'GET', path: `${gsmaAccount(call)}/bills`, signal });
    const bills = billsSchema.safeParse(sent?.body);
    if (sent?.status !== 200 || !bills.success) return gsmaRefusal(sent);
    const [bill] = bills.data;
    if (!bill || bill.billStatus === 'paid') return { kind: 'no', message: 'There is nothing to pay' };
    return { kind: 'yes', message: 'A bill', bill: bill.billdescription ?? '' };
  }

  async function gsmaPay(call: BillCall, signal: AbortSignal): Promise<StepReply> {
    const owner = ownerOf(call.party);
    const body: WireBillPaymentRequest = {
      currency: 'TZS',
      amountPaid: toDecimal(call.amount),
      requestingOrganisationTransactionReference: call.receipt,
      metadata: [
        { key: PAYER_NUMBER_KEY, value: call.party },
        ...(owner === null ? [] : [{ key: PAYER_NAME_KEY, value: owner }]),
      ],
    };
    const path = `${gsmaAccount(call)}/bills/${encodeURIComponent(call.controlNumber)}/payments`;
    const sent = await ask({ ...call, method: 'POST', path, body, signal });
    const paid = billPaymentSchema.safeParse(sent?.body);
    if (sent?.status !== 201 || !paid.success) return gsmaRefusal(sent);
    return { kind: 'yes', message: 'Accepted' };
  }

  const byJson = (step: BillJsonStep) => (call: BillCall, signal: AbortSignal) =>
    billJson(step, call, signal);
  const own: OtherSteps = {
    ...others,
    'bill-json': { lookUp: byJson('lookup'), validate: byJson('validation'), notify: byJson('notification') },
  };
  const of = ({ protocol }: BillCall) =>
    own[protocol] ?? { lookUp: gsmaLookUp, validate: notAsked, notify: gsmaPay };
  return {
    lookUp: (call, signal) => of(call).lookUp(call, signal),
    validate: (call, signal) => of(call).validate(call, signal),
    notify: (call, signal) => of(call).notify(call, signal),
  };
}

function gsmaAccount(call: BillCall): string {
  return `${GSMA_BILLS_PATH}/accounts/accountid/${encodeURIComponent(call.controlNumber)}`;
}

/** An error object with 400 or 404 is a decision; a refused token says nothing about the payment. */
function gsmaRefusal(sent: Sent | null): StepReply {
  const error = errorSchema.safeParse(sent?.body);
  const decided = (sent?.status === 400 || sent?.status === 404) && error.success;
  if (!decided) return silent(sent);
  return { kind: 'no', message: error.data.errordescription ?? error.data.errorCode };
}

/** `body` undefined: no JSON. */
type Sent = Pick<Answered, 'status'> & { body: unknown };
type Question = BillCall & { method: 'GET' | 'POST'; path: string; body?: unknown; signal: AbortSignal };

async function askInJson(
  gateway: BillGateway,
  { method, path, body, signal, ...call }: Question,
): Promise<Sent | null> {
  const headers = {
    authorization: `Bearer ${gateway.tokens[call.network] ?? ''}`,
    'content-type': 'application/json',
    'x-correlationid': uuidv5(`${call.network}/${call.receipt}`, CORRELATION_NAMESPACE),
    'x-date': new Date().toISOString(),
  };
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await askGateway(gateway, path, { method, headers, ...text, signal });
  return answer && { status: answer.status, body: parseJson(answer.bytes) };
}
