import { z } from 'zod';
import { countUse, usesLeft } from '../../accounts/uses.ts';
import {
  queuePing,
  RESEND_DAYS_MAX,
  RESEND_RANGE_MAX,
  resendEvent,
  resendRange,
  startDeliveries,
} from '../../callbacks/resend.ts';
import { callbackQueuedAnswer, callbackRangeAnswer } from '../../contract/callback-answers.ts';
import { writeJson } from '../../contract/json-of.ts';
import type { Database } from '../../db/pool.ts';
import { inTransaction } from '../../db/transaction.ts';
import { budgets } from '../../domain/data/budgets.ts';
import type { Round } from '../../domain/event.ts';
import type { Flows } from '../flows.ts';
import { type ApiRequest, callerOf, type Endpoint, type Handler } from '../http/endpoint.ts';
import { acceptFields, readFields } from '../http/fields.ts';
import { moment, requiredMoment, toTimestamp } from '../moments.ts';
import { queuedAnswers, rangeAnswers, rangeBodies } from '../reference/examples/callback.ts';

/** The states that a range may ask for; without one: events that never arrived. */
const UNDELIVERED = ['failed', 'no_url'] as const;
const RESENDABLE = [...UNDELIVERED, 'delivered'] as const;

const rangeFields = {
  from: requiredMoment.meta({
    description: `inclusive, on created_at; what is older than ${RESEND_DAYS_MAX} days is left out`,
  }),
  to: moment.meta({ description: 'exclusive; now when left out', example: '2026-11-21T00:00:00Z' }),
  state: z
    .enum(RESENDABLE, `must be one of ${RESENDABLE.join(', ')}`)
    .meta({ description: 'failed and no_url when left out' })
    .optional(),
};

export const testCallback = {
  method: 'POST',
  paths: ['callbacks/test'],
  summary: 'Send a ping to the callback URL of this API key',
  scopes: ['callbacks:write'],
  answer: callbackQueuedAnswer,
  examples: { answer: queuedAnswers },
  links: { to: ['getCallback', 'resendCallback'], at: '/event_id', parameter: 'event_id' },
  refusals: ['validation_failed'],
} as const satisfies Endpoint;

export const resendCallback = {
  method: 'POST',
  paths: ['callbacks/{event_id}/resend'],
  summary: 'Send an event again: the same bytes, the same id, the schedule anew',
  scopes: ['callbacks:write'],
  answer: callbackQueuedAnswer,
  examples: { answer: queuedAnswers },
  refusals: ['validation_failed'],
} as const satisfies Endpoint;

export const resendCallbacks = {
  method: 'POST',
  paths: ['callbacks/resend'],
  summary: `Send the events of a range of time again, oldest first, at most ${RESEND_RANGE_MAX} at a time`,
  scopes: ['callbacks:write'],
  body: rangeFields,
  answer: callbackRangeAnswer,
  examples: { body: rangeBodies, answer: rangeAnswers },
} as const satisfies Endpoint;

/** Sends events of callbacks again, and pings: queued in Postgres, then started best effort. */
export function createResends(deps: { database: Database; flows: Pick<Flows, 'deliver'>; now: () => Date }) {
  const { database, flows, now } = deps;

  const start = (rounds: Round[]) => startDeliveries(rounds, flows.deliver);
  const useOf = (accountId: string) => ({
    accountId,
    use: 'resends' as const,
    budget: budgets.resends,
    now: now(),
  });

  return {
    testCallback: async (request) => {
      const { accountId, keyId } = callerOf(request);
      const ping = await inTransaction(database, async (db) => {
        await countUse(db, { accountId, use: 'pings', budget: budgets.pings, now: now() });
        return queuePing(db, keyId);
      });
      await start([ping]);
      return { body: queuedBody(ping) };
    },
    resendCallback: async (request) => {
      const caller = callerAndActor(request);
      const { taken, ...event } = await inTransaction(database, async (db) => {
        const queued = await resendEvent(db, { eventId: request.id, ...caller });
        await countUse(db, { ...useOf(caller.accountId), count: 1 + queued.taken.length });
        return queued;
      });
      await start([event, ...taken]);
      return { body: queuedBody(event) };
    },
    resendCallbacks: async (request) => {
      const range = readRange(request, now());
      const caller = callerAndActor(request);
      const use = useOf(caller.accountId);
      const { queued, taken, nextFrom } = await inTransaction(database, async (db) => {
        const most = Math.min(RESEND_RANGE_MAX, await usesLeft(db, use));
        const resent = await resendRange(db, { ...range, ...caller, most });
        await countUse(db, { ...use, count: resent.queued.length + resent.taken.length });
        return resent;
      });
      await start([...queued, ...taken]);
      return {
        body: writeJson<typeof callbackRangeAnswer>({
          success: true,
          message: messageOf(queued.length, nextFrom),
          queued: queued.length,
          next_from: nextFrom,
        }),
      };
    },
  } satisfies Record<string, Handler>;
}

function callerAndActor(request: ApiRequest) {
  const { accountId, keyId } = callerOf(request);
  return { accountId, actor: `api:${keyId}` };
}

function queuedBody({ eventId }: Round) {
  const message = 'The event has been queued';
  return writeJson<typeof callbackQueuedAnswer>({ success: true, message, event_id: eventId });
}

function messageOf(count: number, nextFrom: string | null): string {
  const events = count === 1 ? '1 event has' : `${count} events have`;
  if (nextFrom === null) return `${events} been queued`;
  return `${events} been queued. There are more: send the same request with from set to next_from`;
}

function readRange(request: ApiRequest, now: Date) {
  const read = readFields(rangeFields, request.known);
  const { from: begin, to = toTimestamp(now.getTime()) } = read.values;
  if (begin !== undefined && begin >= to) read.problems.push({ field: 'to', message: 'must be after from' });
  const { from, state } = acceptFields(read);
  return { from, to, states: state === undefined ? [...UNDELIVERED] : [state] };
}
