import { type BillReply, billReplyMessage, isTaken } from '../../domain/bill-reply.ts';
import { type Minor, toUnits } from '../../domain/money.ts';
import { billJsonRequestSchema, type WireBillJsonAnswer } from './wire.ts';

/** "Try again" is an HTTP error, so it has no code. */
const replies: Record<Exclude<BillReply, 'try_again'>, string> = {
  ok: '000',
  duplicate: '000',
  unknown_reference: '010',
  bill_closed: '010',
  in_progress: '010',
  amount_invalid: '012',
  amount_too_high: '014',
  amount_too_low: '015',
};

/** One step's request. `receipt` is null if the body has no receipt that we can store. */
export type BillJsonRequest = {
  /** network; believed only from an aggregator, and only if it is one of its own */
  operator: string | null;
  receipt: string | null;
  reference: string | null;
  number: string;
  amount: string | null;
  msisdn: string | null;
};

/** Returns null if it is not of this protocol. Amounts: `1000`, `1000.0`, `1000.00`, text or number. */
export function readBillJson(body: unknown): BillJsonRequest | null {
  const parsed = billJsonRequestSchema.safeParse(body);
  if (!parsed.success) return null;
  const { operator, transid, reference, utilityref, amount, msisdn } = parsed.data;
  const receipt = transid?.trim() ?? '';
  return {
    operator: operator ?? null,
    receipt: receipt === '' ? null : receipt,
    reference: reference ?? null,
    number: utilityref ?? '',
    amount: amount ?? null,
    msisdn: msisdn ?? null,
  };
}

export function billJsonAnswer(
  request: Pick<BillJsonRequest, 'receipt' | 'reference'>,
  reply: BillReply,
  bill: { name: string; amount: Minor | null } | null = null,
): WireBillJsonAnswer {
  if (reply === 'try_again')
    return faultAnswer(request, { code: '503', message: billReplyMessage.try_again });
  return {
    reference: request.reference,
    transid: request.receipt,
    resultcode: replies[reply],
    result: isTaken(reply) ? 'SUCCESS' : 'FAIL',
    message: billReplyMessage[reply],
    name: bill?.name ?? null,
    amount: bill?.amount ? toUnits(bill.amount) : null,
  };
}

/** The code follows the HTTP status. A 5xx refuses nothing, so it never says FAIL. */
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
