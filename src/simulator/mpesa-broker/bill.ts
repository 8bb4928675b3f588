import { randomUUID } from 'node:crypto';
import type Router from '@koa/router';
import { request } from 'undici';
import {
  type BrokerPayment,
  type BrokerResult,
  CONTENT_TYPE,
  dateTextOf,
  MPESA_BROKER_PATH,
  readResponse,
  readResult,
  spPasswordOf,
  timestampOf,
  writePayment,
  writeResponse,
} from '../../channels/mpesa-broker/wire.ts';
import { toFixedDecimal } from '../../domain/money.ts';
import type { BillCall, BillSteps, StepReply } from '../bills/bill-steps.ts';
import { breakConnection, readBody } from '../core/body.ts';

export type MpesaBrokerOptions = {
  spId: string;
  password: string;
  /** how long the broker waits for the acknowledgement, and then for the result */
  acknowledgeMs?: number;
  resultMs?: number;
  /** so many results are lost on their way */
  losesResults?: number;
};

/** Where the service posts its results. */
export const RESULT_PATH = '/broker/results';
/** The short code that customers pay to; the service does not look at it. */
const RECIPIENT = '888000';
const ACKNOWLEDGE_MS = 2_000;
const RESULT_MS = 6_000;

/**
 * Vodacom's M-Pesa broker as customers' payments use it: no validation, one notification, its acknowledgement, and then
 * the service's result. Without a result the broker asks again with the same receipt.
 */
export function createMpesaBrokerSteps(
  router: Router,
  gatewayUrl: string,
  options: MpesaBrokerOptions,
): BillSteps {
  const { spId, password } = options;
  /** who waits for a result, by conversation */
  const waiting = new Map<string, (result: BrokerResult) => void>();
  let toLose = options.losesResults ?? 0;

  router.post(RESULT_PATH, async (context) => {
    const result = readResult(await readBody(context));
    if (!result) return context.throw(400, 'no result');
    const { timestamp } = result;
    if (result.spId !== spId || result.spPassword !== spPasswordOf({ spId, password, timestamp }))
      return context.throw(401, 'spPassword is wrong');
    if (toLose > 0) {
      toLose -= 1;
      return breakConnection(context);
    }
    waiting.get(result.conversationId ?? '')?.(result);
    context.set('content-type', CONTENT_TYPE);
    context.body = writeResponse({
      conversationId: result.conversationId,
      originatorConversationId: result.originatorConversationId,
      transactionId: result.transactionId,
      responseCode: '0',
      responseDesc: 'Attempted successfully',
      serviceStatus: result.resultCode === '0' ? 'Confirming' : 'Cancelling',
    });
  });

  async function notify(call: BillCall, signal: AbortSignal): Promise<StepReply> {
    const payment = paymentOf(call, options);
    const conversationId = payment.conversationId ?? '';
    const decided = new Promise<BrokerResult>((resolve) => waiting.set(conversationId, resolve));
    try {
      const acknowledged = await acknowledgedBy(gatewayUrl, payment, { ...options, signal });
      if (acknowledged !== null) return { kind: 'silent', message: acknowledged };
      const result = await within(decided, options.resultMs ?? RESULT_MS, signal);
      if (!result) return { kind: 'silent', message: 'The service posted no result' };
      const kind = result.resultCode === '0' ? 'yes' : 'no';
      return { kind, message: result.resultDesc ?? '' };
    } finally {
      waiting.delete(conversationId);
    }
  }

  const notAsked = async (): Promise<StepReply> => ({ kind: 'yes', message: 'Not asked' });
  return { lookUp: notAsked, validate: notAsked, notify };
}

/** Every question has conversations of its own; receipt and transaction stay. */
function paymentOf(call: BillCall, { spId, password }: MpesaBrokerOptions): BrokerPayment {
  const time = new Date();
  const timestamp = timestampOf(time);
  return {
    spId,
    spPassword: spPasswordOf({ spId, password, timestamp }),
    timestamp,
    // As real brokers write it: 18000.0
    amount: toFixedDecimal(call.amount).replace(/0$/, ''),
    commandId: 'Pay Bill',
    initiator: call.party,
    originatorConversationId: randomUUID(),
    recipient: RECIPIENT,
    mpesaReceipt: call.receipt,
    transactionDate: dateTextOf(time),
    accountReference: call.controlNumber,
    transactionId: `T${call.receipt}`,
    conversationId: randomUUID(),
  };
}

/** Null when the service has acknowledged, else what is wrong. */
async function acknowledgedBy(
  gatewayUrl: string,
  payment: BrokerPayment,
  { signal, acknowledgeMs = ACKNOWLEDGE_MS }: { signal: AbortSignal; acknowledgeMs?: number },
): Promise<string | null> {
  try {
    const answer = await request(`${gatewayUrl}${MPESA_BROKER_PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'text/xml' },
      body: writePayment(payment),
      signal: AbortSignal.any([signal, AbortSignal.timeout(acknowledgeMs)]),
    });
    const response = readResponse(Buffer.from(await answer.body.arrayBuffer()));
    if (answer.statusCode !== 200) return `The service answered ${answer.statusCode}`;
    const isOurs = response?.conversationId === payment.conversationId && response?.responseCode === '0';
    return isOurs ? null : 'The service acknowledged something else';
  } catch {
    return 'The service did not answer';
  }
}

async function within<T>(work: Promise<T>, limitMs: number, signal: AbortSignal): Promise<T | null> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const over = new Promise<null>((resolve) => {
    if (limit.aborted) resolve(null);
    limit.addEventListener('abort', () => resolve(null), { once: true });
  });
  return Promise.race([work, over]);
}
