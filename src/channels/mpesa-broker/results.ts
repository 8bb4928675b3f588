import { createHash } from 'node:crypto';
import { billReplyMessage, isTaken } from '../../domain/bill-reply.ts';
import type { OwedResult, Posted } from '../kit/door.ts';
import type { HttpClient } from '../kit/http.ts';
import type { ProtocolLog } from '../kit/protocol.ts';
import { allSecrets } from '../kit/secret.ts';
import type { MpesaBrokerSettings } from './settings.ts';
import {
  type BrokerPayment,
  CONTENT_TYPE,
  dateTextOf,
  readResponse,
  spPasswordOf,
  timestampOf,
  writeResult,
} from './wire.ts';

/** We answer the broker's request with the password that it used. */
export type BrokerRequest = Pick<
  BrokerPayment,
  'originatorConversationId' | 'conversationId' | 'transactionId'
> & {
  password: string;
};

const ACCEPTED = '0';
const REFUSED = '999';

/** Sixteen bits of its hash tell our few passwords apart, and do not help to guess one. */
export function markOfPassword(password: string): string {
  return createHash('sha256').update(password).digest('hex').slice(0, 4);
}

export function createResults(
  settings: MpesaBrokerSettings,
  { http, log, now }: { http: HttpClient; log: ProtocolLog; now: () => Date },
): (owed: OwedResult) => Promise<Posted> {
  return async (owed) => {
    const code = isTaken(owed.reply) ? ACCEPTED : REFUSED;
    const sent = await http.send({
      method: 'POST',
      url: settings.resultUrl,
      headers: { 'content-type': CONTENT_TYPE, accept: 'text/xml, application/xml' },
      body: resultOf(settings, owed, { code, time: now() }),
      timeoutMs: settings.resultTimeoutMs,
    });
    const facts = { receipt: owed.receipt, code, transaction_id: owed.transactionId };
    const answer = sent.kind === 'answer' && sent.status < 500 ? readResponse(sent.body) : null;
    if (!answer) {
      const why = sent.kind === 'answer' ? `HTTP ${sent.status}` : sent.detail;
      log.warn({ ...facts, why }, 'the broker did not take the result of a bill payment');
      return { kind: 'unclear', detail: why };
    }
    const said = { ...facts, status: answer.serviceStatus, response: answer.responseCode };
    if (answer.serviceStatus?.toLowerCase() === (code === ACCEPTED ? 'confirming' : 'cancelling')) {
      log.info(said, 'the broker has the result of a bill payment');
      return { kind: 'taken' };
    }
    // The network keeps money that we refused, or returns money that we booked: an operator compares the
    // books.
    log.error(said, 'the broker answers the result of a bill payment with something else than we decided');
    const decided = code === ACCEPTED ? 'took' : 'refused';
    const detail = `we ${decided} the payment, and the broker answers ${answer.serviceStatus ?? 'no status'}`;
    return { kind: 'contradicted', detail };
  };
}

function resultOf(
  settings: MpesaBrokerSettings,
  owed: OwedResult,
  { code, time }: { code: string; time: Date },
): string {
  const { spId, passwordForm, resultElement, receiptNames } = settings;
  const request = owed.request as BrokerRequest;
  const timestamp = timestampOf(time);
  const [first, ...others] = allSecrets(settings.password);
  const password = others.find((one) => markOfPassword(one) === request.password) ?? first ?? '';
  return writeResult(
    {
      spId,
      spPassword: spPasswordOf({ spId, password, timestamp }, passwordForm),
      timestamp,
      resultType: code === ACCEPTED ? 'Completed' : 'Failed',
      resultCode: code,
      resultDesc: billReplyMessage[owed.reply],
      receipt: receiptNames === 'service' ? (owed.transactionId ?? owed.receipt) : owed.receipt,
      date: dateTextOf(time),
      serviceId: settings.serviceId,
      originatorConversationId: request.originatorConversationId,
      conversationId: request.conversationId,
      transactionId: request.transactionId,
      initiator: settings.initiator,
      initiatorPassword: settings.initiatorPassword,
    },
    { element: resultElement, receiptNames },
  );
}
