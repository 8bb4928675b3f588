import { randomUUID } from 'node:crypto';
import type Router from '@koa/router';
import { within } from '../../../src/base/within.ts';
import { toFixedDecimal } from '../../../src/domain/money.ts';
import { askGateway, notAsked, silent } from '../bills/ask.ts';
import type { BillCall, BillGateway, BillSteps, StepReply } from '../bills/bill-step.ts';
import { breakConnection, readBody } from '../core/body.ts';
import {
  dateNow,
  passwordOf,
  paymentXml,
  type ResultShape,
  readAcknowledgement,
  readDecision,
  responseXml,
  timestampNow,
} from './wire.ts';

export type MpesaBrokerOptions = {
  spId: string;
  password: string;
  /** the paid short code, and the form of results */
  shortCode?: string;
  resultShape?: ResultShape;
  /** how long the broker waits for the result after the acknowledgement */
  resultMs?: number;
  /** how many results get lost */
  losesResults?: number;
};

type Decision = { isYes: boolean; message: string };

export const RESULT_PATH = '/broker/results';
const DOOR = '/channels/mpesa-broker';
const CONTENT_TYPE = 'text/xml; charset=utf-8';
const ACKNOWLEDGE_MS = 2_000;
const RESULT_MS = 6_000;

/**
 * The broker does not validate: it notifies, takes the acknowledgement, then waits for the result. Without a
 * result it notifies again with the same receipt.
 */
export function createMpesaBrokerSteps(
  router: Router,
  gateway: Pick<BillGateway, 'url' | 'ask'>,
  options: MpesaBrokerOptions,
): BillSteps {
  const { spId, password } = options;
  /** who waits for each conversation's result */
  const waiting = new Map<string, (result: Decision) => void>();
  let toLose = options.losesResults ?? 0;

  router.post(RESULT_PATH, async (context) => {
    const result = readDecision(await readBody(context), options.resultShape ?? 'result');
    if (!result) return context.throw(400, 'no result');
    const timestamp = result.text('timestamp') ?? '';
    const proof = passwordOf(spId, password, timestamp);
    if (result.text('spId') !== spId || result.text('spPassword') !== proof)
      return context.throw(401, 'spPassword is wrong');
    if (toLose > 0) {
      toLose -= 1;
      return breakConnection(context);
    }
    const isYes = result.text('resultCode') === '0';
    waiting.get(result.text('conversationID') ?? '')?.({ isYes, message: result.text('resultDesc') ?? '' });
    context.set('content-type', CONTENT_TYPE);
    context.body = responseXml([
      ...['conversationID', 'originatorConversationID', 'transactionID'].map(
        (name) => [name, result.text(name) ?? ''] as const,
      ),
      ['responseCode', '0'],
      ['responseDesc', 'Attempted successfully'],
      ['serviceStatus', isYes ? 'Confirming' : 'Cancelling'],
    ]);
  });

  async function notify(call: BillCall, signal: AbortSignal): Promise<StepReply> {
    const conversationId = randomUUID();
    const xml = paymentOf(call, options, conversationId);
    const decided = new Promise<Decision>((resolve) => waiting.set(conversationId, resolve));
    try {
      const headers = { 'content-type': 'text/xml' };
      const within = { ...gateway, timeoutMs: ACKNOWLEDGE_MS };
      const answer = await askGateway(within, DOOR, { headers, body: xml, signal });
      if (answer?.status !== 200) return silent(answer);
      const response = readAcknowledgement(answer.bytes);
      if (response?.conversationId !== conversationId || response.code !== '0')
        return { kind: 'silent', message: 'The service acknowledged something else' };
      const result = await inTime(decided, options.resultMs ?? RESULT_MS, signal);
      if (!result) return { kind: 'silent', message: 'The service posted no result' };
      return { kind: result.isYes ? 'yes' : 'no', message: result.message };
    } finally {
      waiting.delete(conversationId);
    }
  }

  return { lookUp: notAsked, validate: notAsked, notify };
}

/** Every message has new conversation ids; receipt and transaction stay. */
function paymentOf(
  call: BillCall,
  { spId, password, shortCode = spId }: MpesaBrokerOptions,
  conversationId: string,
): string {
  const timestamp = timestampNow();
  const provider = [
    ['spId', spId],
    ['spPassword', passwordOf(spId, password, timestamp)],
    ['timestamp', timestamp],
  ] as const;
  return paymentXml(provider, [
    // Real brokers write it so: 18000.0
    ['amount', toFixedDecimal(call.amount).replace(/0$/, '')],
    ['commandID', 'Pay Bill'],
    ['initiator', call.party],
    ['originatorConversationID', randomUUID()],
    ['recipient', shortCode],
    ['mpesaReceipt', call.receipt],
    ['transactionDate', dateNow()],
    ['accountReference', call.controlNumber],
    ['transactionID', `T${call.receipt}`],
    ['conversationID', conversationId],
  ]);
}

async function inTime<T>(work: Promise<T>, limitMs: number, signal: AbortSignal): Promise<T | null> {
  const limit = within(limitMs, signal);
  const over = new Promise<null>((resolve) => {
    if (limit.aborted) resolve(null);
    limit.addEventListener('abort', () => resolve(null), { once: true });
  });
  return Promise.race([work, over]);
}
