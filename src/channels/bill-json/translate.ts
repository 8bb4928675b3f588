import { type BillReply, billReplyCode, billReplyMessage } from '../../domain/bill-reply.ts';
import { parseControlNumber } from '../../domain/control-number.ts';
import { type Minor, readAmount, toUnits } from '../../domain/money.ts';
import { parseMsisdn } from '../../domain/msisdn.ts';
import { billJsonRequestSchema, type WireBillJsonAnswer } from './wire.ts';

const PROTOCOL = 'bill-json';

/** One step's body, read. `receipt` is null when the body names none that can be kept. */
export type BillJsonRequest = {
  /** which network it is about; believed only of an aggregator, and only of its own networks */
  operator: string | null;
  receipt: string | null;
  /** the operator's own, echoed */
  reference: string | null;
  /** null when the check digit is wrong */
  controlNumber: string | null;
  controlNumberAsSent: string;
  /** null when it is no amount of money; zero and negatives are for the decision to refuse */
  amount: Minor | null;
  amountAsSent: string;
  msisdn: string | null;
};

/** Null when the body is none of this protocol. Amounts come as `1000`, `1000.0`, `1000.00`, text or number. */
export function readBillJson(body: unknown): BillJsonRequest | null {
  const parsed = billJsonRequestSchema.safeParse(body);
  if (!parsed.success) return null;
  const { operator, transid, reference, utilityref, amount, msisdn } = parsed.data;
  const receipt = transid?.trim() ?? '';
  return {
    operator: operator ?? null,
    receipt: receipt === '' ? null : receipt,
    reference: reference ?? null,
    controlNumber: parseControlNumber(utilityref ?? ''),
    controlNumberAsSent: utilityref ?? '',
    ...readAmount(amount),
    msisdn: parseMsisdn(msisdn ?? ''),
  };
}

/** The body of an answer. `bill`: whom and how much, where the reply is about a bill that is there. */
export function billJsonAnswer(
  request: Pick<BillJsonRequest, 'receipt' | 'reference'>,
  reply: BillReply,
  bill: { name: string; amount: Minor } | null = null,
): WireBillJsonAnswer {
  if (reply === 'try_again')
    return faultAnswer(request, { code: '503', message: billReplyMessage.try_again });
  return {
    reference: request.reference,
    transid: request.receipt,
    resultcode: billReplyCode(PROTOCOL, reply),
    result: reply === 'ok' || reply === 'duplicate' ? 'SUCCESS' : 'FAIL',
    message: billReplyMessage[reply],
    name: bill?.name ?? null,
    amount: bill ? toUnits(bill.amount) : null,
  };
}

/** The body beside an HTTP error: its status is the code. From 500 on nothing was refused, so it never says FAIL. */
export function faultAnswer(
  request: Pick<BillJsonRequest, 'receipt' | 'reference'> | null,
  fault: { code: string; message: string },
): WireBillJsonAnswer {
  return {
    reference: request?.reference ?? null,
    transid: request?.receipt ?? null,
    resultcode: fault.code,
    result: fault.code.startsWith('5') ? 'TRY_AGAIN' : 'FAIL',
    message: fault.message,
    name: null,
    amount: null,
  };
}
