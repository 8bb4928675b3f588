import { jitter } from '../base/jitter.ts';
import type { KeyRing } from '../base/key-ring.ts';
import type { DeliveryOutcome } from '../domain/event.ts';
import { inEnglish } from '../domain/messages.ts';
import type { Database } from '../platform/db/pool.ts';
import { disabledReasons } from './failing.ts';
import {
  ALIVE_EVERY_MS,
  type Beginning,
  type BegunAttempt,
  beginAttempt,
  endDelivery,
  isOwnEvent,
  noteAlive,
  noteDelivered,
  noteNotDelivered,
  withdrawAttempt,
} from './log.ts';
import { decryptSecret } from './secrets.ts';
import type { CallbackSender, Sent } from './send.ts';
import { signatureHeaders } from './sign.ts';

const HTTP_GONE = 410;
/** The longest pause before checking again whether another attempt of the event has ended. */
const BUSY_MAX_MS = 2_000;
const WAITING_MS = { min: 500, max: 60_000 };
/** Each delivery ahead adds this to the pause, so a thousand check only tens of times a second. */
const WAITING_FOR_EACH_MS = 100;

export type Delivery = {
  /** `beat` runs every few seconds while it waits. `begun`: the committed attempt from `beginAttempt`. */
  attempt(eventId: string, round?: number, beat?: () => void, begun?: Beginning): Promise<DeliveryOutcome>;
};

/**
 * Delivers callbacks, one attempt per call, to the URL that is set at that moment. It stores each attempt
 * before sending. The number of attempts in this round decides the next step, so any caller (a worker after a
 * crash, the sweep) can continue. After a crash between sending and storing, the same bytes go out again
 * under the same id: delivery is at least once.
 *
 * `delaysMs` are the pauses between attempts. `attempt` throws if it made none: the database is down, the
 * event is missing behind the fence, or the passphrase cannot be opened.
 */
export function createDelivery(deps: {
  database: Database;
  sender: CallbackSender;
  encryptionKeys: KeyRing;
  delaysMs: readonly number[];
  random?: () => number;
}): Delivery {
  const { database } = deps;
  return {
    async attempt(eventId, round = 0, beat = () => {}, known = undefined) {
      const begun = known ?? (await beginAttempt(database, { eventId, round }));
      switch (begun.kind) {
        case 'begun':
          return whileAlive(() => send(begun, deps), { begun, database, beat });
        case 'delivered':
        case 'superseded':
          return { kind: 'nothing' };
        case 'failed':
          return { kind: 'given_up', reason: 'its delivery has ended' };
        case 'lost':
          return { kind: 'given_up', reason: 'it was lost by a restore, and made anew under another id' };
        case 'busy':
          return { kind: 'retry', afterMs: Math.min(begun.afterMs, BUSY_MAX_MS) };
        case 'waiting':
          return {
            kind: 'retry',
            afterMs: clamp(Math.max(begun.afterMs, begun.ahead * WAITING_FOR_EACH_MS), WAITING_MS),
          };
        case 'no_url':
          await endDelivery(database, { eventId, round, state: 'no_url' });
          return { kind: 'given_up', reason: 'no callback URL is set' };
        case 'disabled':
          await endDelivery(database, { eventId, round, state: 'failed' });
          return { kind: 'given_up', reason: begun.reason };
      }
    },
  };
}

type Deps = Parameters<typeof createDelivery>[0];

function whileAlive<T>(
  work: () => Promise<T>,
  attempt: { begun: BegunAttempt; database: Database; beat: () => void },
): Promise<T> {
  const alive = setInterval(() => {
    attempt.beat();
    noteAlive(attempt.database, attempt.begun).catch(() => {});
  }, ALIVE_EVERY_MS);
  return work().finally(() => clearInterval(alive));
}

async function send(begun: BegunAttempt, deps: Deps): Promise<DeliveryOutcome> {
  const { database } = deps;
  if (!(await isOwnEvent(database, begun))) {
    await withdrawAttempt(database, begun);
    await endDelivery(database, { eventId: begun.eventId, round: begun.round, state: 'failed' });
    return { kind: 'given_up', reason: 'no process of ours wrote it as it is' };
  }
  const passphrases = openPassphrases(begun, deps.encryptionKeys);
  if (passphrases === null) {
    await withdrawAttempt(database, begun);
    throw new Error(`The passphrase of API key ${begun.apiKeyId} cannot be opened with this ENCRYPTION_KEY`);
  }
  const { eventId, body, sentAtMs } = begun;
  const headers = signatureHeaders({ eventId, body, passphrases, sentAtMs });
  const answer = await deps.sender.send({ url: begun.url, body: begun.body, headers });
  if ('busy' in answer) {
    await withdrawAttempt(database, begun);
    return { kind: 'retry', afterMs: jitter(answer.afterMs, deps.random) };
  }
  const outcome = decide(begun.position, answer, deps);
  if (outcome.kind === 'delivered') {
    await noteDelivered(database, begun, answer);
    return outcome;
  }
  const { disabledReason } = await noteNotDelivered(database, begun, {
    ...answer,
    afterMs: outcome.kind === 'retry' ? outcome.afterMs : null,
    isGone: answer.httpStatus === HTTP_GONE,
  });
  return disabledReason === null
    ? outcome
    : { kind: 'given_up', reason: inEnglish(disabledReasons[disabledReason]) };
}

/** Returns null if we lack the key that sealed them. That is our fault and must cost no attempt. */
function openPassphrases(begun: BegunAttempt, encryptionKeys: KeyRing): string[] | null {
  try {
    return begun.ciphertexts.map((sealed) => decryptSecret(encryptionKeys, sealed, begun.apiKeyId));
  } catch {
    return null;
  }
}

/** Any 2xx is success. 410 ends the delivery. Other answers are retried while pauses are left. */
function decide(
  position: number,
  answer: Sent,
  deps: Pick<Deps, 'delaysMs' | 'random'>,
): Exclude<DeliveryOutcome, { kind: 'nothing' }> {
  const status = answer.httpStatus ?? 0;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === HTTP_GONE) return { kind: 'given_up', reason: inEnglish(disabledReasons.gone) };
  const delayMs = deps.delaysMs[position];
  if (delayMs === undefined) return { kind: 'given_up', reason: 'every attempt of the schedule was made' };
  return { kind: 'retry', afterMs: Math.max(jitter(delayMs, deps.random), answer.retryAfterMs ?? 0) };
}

function clamp(value: number, limits: { min: number; max: number }): number {
  return Math.min(Math.max(value, limits.min), limits.max);
}
