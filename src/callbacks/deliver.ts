import type { Database } from '../db/pool.ts';
import { type CallbackEvent, endDelivery, loadEvent, recordAttempt } from './log.ts';
import type { CallbackSender, Sent } from './send.ts';
import { resolveDelivery } from './settings.ts';
import { signatureHeaders } from './sign.ts';

const HTTP_GONE = 410;
const JITTER = 0.2;

export type DeliveryOutcome =
  | { kind: 'delivered' }
  /** nothing more will be sent: attempts used up, no URL, or the URL is disabled */
  | { kind: 'given_up'; reason: string }
  | { kind: 'retry'; afterMs: number }
  /** it was delivered before */
  | { kind: 'nothing' };

export type Delivery = { attempt(eventId: string): Promise<DeliveryOutcome> };

/**
 * Delivers callbacks, one attempt per call. The log is the memory: how many attempts it holds decides what comes next,
 * so whoever calls (a worker after a crash, the sweep) carries on where the last one stopped. The URL is the one that
 * is set when the attempt is made. A crash between sending and recording means one more send of the same bytes under
 * the same id: at least once, never a different one.
 *
 * `delaysMs` are the pauses between attempts: one attempt more than it has pauses is made. `attempt` throws when the
 * database cannot be reached or the event does not exist.
 */
export function createDelivery(deps: {
  database: Database;
  sender: CallbackSender;
  encryptionKey: Uint8Array;
  delaysMs: readonly number[];
  /** 0 to 1, for the jitter */
  random?: () => number;
}): Delivery {
  const { database, sender, encryptionKey } = deps;
  return {
    async attempt(eventId) {
      const event = await loadEvent(database, eventId);
      if (!event) throw new Error(`callback event ${eventId} does not exist`);
      if (event.state === 'delivered') return { kind: 'nothing' };
      if (event.state === 'failed') return { kind: 'given_up', reason: 'its delivery has ended' };
      const target = await resolveDelivery(database, event.apiKeyId, encryptionKey);
      if (target.url === null) {
        await endDelivery(database, event.id, 'no_url');
        return { kind: 'given_up', reason: 'no callback URL is set' };
      }
      if (target.disabledReason !== null) {
        await endDelivery(database, event.id, 'failed');
        return { kind: 'given_up', reason: target.disabledReason };
      }
      const sentAtMs = Date.now();
      const headers = signatureHeaders({
        eventId: event.id,
        body: event.body,
        passphrases: target.passphrases,
        sentAtMs,
      });
      const answer = await sender.send({ url: target.url, body: event.body, headers });
      if ('busy' in answer) return { kind: 'retry', afterMs: jittered(answer.afterMs, deps.random) };
      const outcome = decide(event, answer, deps);
      await record(database, { event, answer, outcome, sentAtMs, url: target.url });
      return outcome;
    },
  };
}

/** Success is any 2xx. 410 ends it; anything else is tried again while the schedule has a pause left. */
function decide(
  event: CallbackEvent,
  answer: Sent,
  deps: { delaysMs: readonly number[]; random?: () => number },
): DeliveryOutcome {
  const status = answer.httpStatus ?? 0;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === HTTP_GONE) return { kind: 'given_up', reason: 'The receiver answered 410 Gone' };
  const delayMs = deps.delaysMs[event.attempts];
  if (delayMs === undefined) return { kind: 'given_up', reason: 'every attempt of the schedule was made' };
  return { kind: 'retry', afterMs: Math.max(jittered(delayMs, deps.random), answer.retryAfterMs ?? 0) };
}

async function record(
  database: Database,
  done: { event: CallbackEvent; answer: Sent; outcome: DeliveryOutcome; sentAtMs: number; url: string },
): Promise<void> {
  const { event, answer, outcome, sentAtMs, url } = done;
  const gone = answer.httpStatus === HTTP_GONE && outcome.kind === 'given_up';
  await recordAttempt(database, {
    eventId: event.id,
    number: event.attempts + 1,
    sentAt: new Date(sentAtMs).toISOString(),
    httpStatus: answer.httpStatus,
    error: answer.error,
    durationMs: answer.durationMs,
    state: outcome.kind === 'delivered' ? 'delivered' : outcome.kind === 'retry' ? 'pending' : 'failed',
    nextAttemptAt: outcome.kind === 'retry' ? new Date(Date.now() + outcome.afterMs).toISOString() : null,
    ...(gone ? { disable: { keyId: event.apiKeyId, url, reason: outcome.reason } } : {}),
  });
}

/** ±20 %, so that a receiver that comes back is not met by everything at once. */
function jittered(delayMs: number, random: () => number = Math.random): number {
  return Math.round(delayMs * (1 - JITTER + 2 * JITTER * random()));
}
