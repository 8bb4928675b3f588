import { setTimeout as sleep } from 'node:timers/promises';
import { type BillReply, billReplyCode, billReplyMessage } from '../../domain/bill-reply.ts';
import type { BillDecided } from '../door.ts';
import type { HttpClient } from '../http.ts';
import type { ProtocolLog } from '../protocol.ts';
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

export type Results = {
  /** Posts what was decided, when it is decided. `contradicted`: the broker answers it with something else. Never rejects. */
  report(
    payment: ProvenPayment,
    decision: Promise<BillDecided>,
    contradicted: (transactionId: string | null, detail: string) => void,
  ): Promise<void>;
};
/** `password`: with which the broker proved itself, so that it knows it while another one replaces it. */
export type ProvenPayment = BrokerPayment & { password: string };
type Contradicted = Parameters<Results['report']>[2];

/** Pauses before each try. After the last one the broker asks again, and gets the same decision. */
const TRIES_AFTER_MS = [0, 2_000, 10_000];
/** More than this at a time are left to the broker's next question. */
const POSTING_MAX = 500;
const ACCEPTED = '0';

/**
 * Nothing is kept of a result that was not posted: the decision is durable, and the broker that has no result notifies
 * the same receipt again.
 */
export function createResults(
  settings: MpesaBrokerSettings,
  deps: { http: HttpClient; log: ProtocolLog; now: () => Date; triesAfterMs?: readonly number[] },
): Results {
  const { http, log, now, triesAfterMs = TRIES_AFTER_MS } = deps;
  let posting = 0;

  async function post(
    payment: ProvenPayment,
    decided: BillDecided,
    contradicted: Contradicted,
  ): Promise<void> {
    const code = billReplyCode('mpesa-broker', decided.reply);
    const facts = { receipt: payment.mpesaReceipt, code, transaction_id: decided.transactionId };
    for (const [index, pauseMs] of triesAfterMs.entries()) {
      if (pauseMs > 0) await sleep(pauseMs, undefined, { ref: false });
      const sent = await http.send({
        method: 'POST',
        url: settings.resultUrl,
        headers: { 'content-type': CONTENT_TYPE, accept: 'text/xml, application/xml' },
        body: resultOf(payment, decided, code),
        timeoutMs: settings.resultTimeoutMs,
      });
      const answer = sent.kind === 'answer' && sent.status < 500 ? readResponse(sent.body) : null;
      if (answer) {
        const said = { ...facts, status: answer.serviceStatus, response: answer.responseCode };
        return noteAnswer(said, (detail) => contradicted(decided.transactionId, detail));
      }
      const why = sent.kind === 'answer' ? `HTTP ${sent.status}` : sent.detail;
      log.warn({ ...facts, attempt: index + 1, why }, 'the broker did not take the result of a bill payment');
    }
    log.error(facts, 'the broker has no result of a bill payment; it has to ask again');
  }

  function noteAnswer(
    facts: { code: string; status: string | null; response: string | null },
    contradicted: (detail: string) => void,
  ): void {
    const expected = facts.code === ACCEPTED ? 'confirming' : 'cancelling';
    if (facts.status?.toLowerCase() === expected) {
      log.info(facts, 'the broker has the result of a bill payment');
    } else {
      // It would keep what we refused, or give back what we booked: a person compares the two books.
      log.error(facts, 'the broker answers the result of a bill payment with something else than we decided');
      const decided = facts.code === ACCEPTED ? 'took' : 'refused';
      contradicted(`we ${decided} the payment, and the broker answers ${facts.status ?? 'no status'}`);
    }
  }

  function resultOf(payment: ProvenPayment, decided: BillDecided, code: string): string {
    const time = now();
    const { spId, passwordForm, resultElement, receiptNames } = settings;
    const timestamp = timestampOf(time);
    const isAccepted = code === ACCEPTED;
    const ours = decided.transactionId ?? payment.mpesaReceipt;
    return writeResult(
      {
        spId,
        spPassword: spPasswordOf({ spId, password: payment.password, timestamp }, passwordForm),
        timestamp,
        resultType: isAccepted ? 'Completed' : 'Failed',
        resultCode: code,
        resultDesc: billReplyMessage[decided.reply satisfies BillReply],
        receipt: receiptNames === 'service' ? ours : payment.mpesaReceipt,
        date: dateTextOf(time),
        serviceId: settings.serviceId,
        originatorConversationId: payment.originatorConversationId,
        conversationId: payment.conversationId,
        transactionId: payment.transactionId,
        initiator: settings.initiator,
        initiatorPassword: settings.initiatorPassword,
      },
      { element: resultElement, receiptNames },
    );
  }

  return {
    async report(payment, decision, contradicted) {
      const decided = await decision.catch(() => null);
      const facts = { receipt: payment.mpesaReceipt };
      if (!decided) return log.warn(facts, 'a bill payment is not decided; the broker has to ask again');
      if (posting >= POSTING_MAX)
        return log.warn(facts, 'too many results at a time; the broker has to ask again');
      posting += 1;
      try {
        await post(payment, decided, contradicted);
      } catch (error) {
        log.error({ ...facts, err: error }, 'the result of a bill payment could not be posted');
      } finally {
        posting -= 1;
      }
    },
  };
}
