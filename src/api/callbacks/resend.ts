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
import type { JsonOf } from '../../contract/json-of.ts';
import { budgets } from '../../domain/data/budgets.ts';
import type { Round } from '../../domain/event.ts';
import { type Message, say } from '../../domain/messages.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { acceptFields, readFields } from '../../platform/http/fields.ts';
import { type ApiRequest, callerOf, done } from '../kit/call.ts';
import { call } from '../kit/gateway-call.ts';
import { moment, requiredMoment, toTimestamp } from '../kit/moments.ts';

/** A range without `state` resends only events that never arrived. */
const UNDELIVERED = ['failed', 'no_url'] as const;
const RESENDABLE = [...UNDELIVERED, 'delivered'] as const;

const rangeFields = {
  from: requiredMoment.meta({
    description: `inclusive, on created_at; events older than ${RESEND_DAYS_MAX} days are left out`,
  }),
  to: moment.meta({ description: 'exclusive; default: now', example: '2026-11-21T00:00:00Z' }),
  state: z.enum(RESENDABLE).meta({ description: 'Default: failed and no_url' }).optional(),
};

/** Commits the ping first. If its delivery cannot start now, the sweep starts it. */
export const testCallback = call(
  {
    method: 'POST',
    paths: ['callbacks/test'],
    summary: 'Send a ping to the callback URL of this API key',
    purpose:
      'Prove that your receiver answers and checks signatures before real events come. ' +
      'The `ping` is signed like any event and belongs to no transaction.',
    scopes: ['callbacks:write'],
    answer: callbackQueuedAnswer,
    links: { to: ['getCallback', 'resendCallback'], at: '/event_id', parameter: 'event_id' },
    refusals: ['validation_failed'],
  },
  async (request, { database, flows, now }) => {
    const { accountId, keyId } = callerOf(request);
    const ping = await inTransaction(database, async (db) => {
      await countUse(db, { accountId, use: 'pings', budget: budgets.pings, now: now() });
      return queuePing(db, keyId);
    });
    await startDeliveries([ping], flows.deliver);
    return queued(ping);
  },
);

export const resendCallback = call(
  {
    method: 'POST',
    paths: ['callbacks/{event_id}/resend'],
    summary: 'Send an event again: same bytes, same id, a new schedule of attempts',
    purpose:
      'Get one event again, whether or not it arrived before. ' +
      'It has the same bytes and the same id, so a careful receiver acts on it once.',
    scopes: ['callbacks:write'],
    answer: callbackQueuedAnswer,
    refusals: ['validation_failed'],
  },
  async (request, { database, flows, now }) => {
    const caller = callerAndActor(request);
    const { taken, ...event } = await inTransaction(database, async (db) => {
      const queued = await resendEvent(db, { eventId: request.id, ...caller });
      await countUse(db, { ...useOf(caller.accountId, now()), count: 1 + queued.taken.length });
      return queued;
    });
    await startDeliveries([event, ...taken], flows.deliver);
    return queued(event);
  },
);

export const resendCallbacks = call(
  {
    method: 'POST',
    paths: ['callbacks/resend'],
    summary: `Send the events of a range of time again, oldest first, at most ${RESEND_RANGE_MAX} at a time`,
    purpose:
      'Get the events of a time range again after your receiver was down. ' +
      'Without `state` only events that never arrived are sent.',
    scopes: ['callbacks:write'],
    body: rangeFields,
    answer: callbackRangeAnswer,
  },
  async (request, { database, flows, now }) => {
    const range = readRange(request, now());
    const caller = callerAndActor(request);
    const use = useOf(caller.accountId, now());
    const { queued, taken, nextFrom } = await inTransaction(database, async (db) => {
      const most = Math.min(RESEND_RANGE_MAX, await usesLeft(db, use));
      const resent = await resendRange(db, { ...range, ...caller, most });
      await countUse(db, { ...use, count: resent.queued.length + resent.taken.length });
      return resent;
    });
    await startDeliveries([...queued, ...taken], flows.deliver);
    return {
      ...done(messageOf(queued.length, nextFrom)),
      queued: queued.length,
      next_from: nextFrom,
    };
  },
);

function useOf(accountId: string, now: Date) {
  return { accountId, use: 'resends' as const, budget: budgets.resends, now };
}

function callerAndActor(request: ApiRequest) {
  const { accountId, keyId } = callerOf(request);
  return { accountId, actor: `api:${keyId}` };
}

function queued({ eventId }: Round): JsonOf<typeof callbackQueuedAnswer> {
  return { ...done(say('event_queued')), event_id: eventId };
}

function messageOf(count: number, nextFrom: string | null): Message {
  if (count === 1) return say(nextFrom === null ? 'one_event_queued' : 'one_event_queued_of_more');
  return say(nextFrom === null ? 'events_queued' : 'events_queued_of_more', { count });
}

function readRange(request: ApiRequest, now: Date) {
  const read = readFields(rangeFields, request.known);
  const { from: begin, to = toTimestamp(now.getTime()) } = read.values;
  if (begin !== undefined && begin >= to)
    read.problems.push({ field: 'to', message: say('must_be_after_from') });
  const { from, state } = acceptFields(read);
  return { from, to, states: state === undefined ? [...UNDELIVERED] : [state] };
}
