import { z } from 'zod';
import { type LoggedCallback, listCallbacks } from '../../callbacks/list.ts';
import { callbackList } from '../../contract/callback-answers.ts';
import type { JsonOf } from '../../contract/json-of.ts';
import { callbackEventNames, callbackStates } from '../../domain/event.ts';
import { isUuid } from '../../domain/ids.ts';
import { say } from '../../domain/messages.ts';
import { wrong } from '../../platform/http/fields.ts';
import { callerOf } from '../kit/call.ts';
import { call } from '../kit/gateway-call.ts';
import { oneOf, pageIn, pageQuery, readQuery } from '../kit/list-query.ts';
import { dayOrMoment, moment } from '../kit/moments.ts';
import { listAnswer } from '../payments/transaction.ts';

const query = {
  ...pageQuery,
  transaction_id: z
    .string()
    .refine(isUuid, wrong(say('must_be_transaction_id')))
    .transform((text) => text.toLowerCase())
    .meta({ format: 'uuid', description: 'Only the events of this transaction' })
    .optional(),
  event: oneOf(callbackEventNames, { description: 'Only events of this name' }),
  state: oneOf(callbackStates, {
    description:
      'Only events that wait (`pending`), arrived (`delivered`), ' +
      'ran out of attempts (`failed`) or had no address (`no_url`)',
  }),
  from: moment.meta({ description: `Inclusive. ${dayOrMoment.description}` }),
  to: moment.meta({ description: `Exclusive. ${dayOrMoment.description}` }),
};

export const getCallbacks = call(
  {
    method: 'GET',
    paths: ['callbacks'],
    summary: 'Callback events of the account and every attempt to deliver them, newest first',
    purpose:
      'See what we sent you, when, and what your receiver answered. ' +
      'Look here first when a callback seems to be missing.',
    scopes: ['callbacks:write'],
    query,
    answer: callbackList,
  },
  async (request, { database }) => {
    const values = readQuery(query, request.query);
    const page = pageIn(values);
    const { transaction_id: transactionId, event, state, from, to } = values;
    const filter = { transactionId, event, state, from, to };
    const { accountId } = callerOf(request);
    const listed = await listCallbacks(database, { accountId, filter, ...page });
    return listAnswer(say('callbacks_found'), page, listed, presentCallback);
  },
);

function presentCallback(callback: LoggedCallback): JsonOf<typeof callbackList>['data'][number] {
  return {
    event_id: callback.eventId,
    event: callback.event,
    transaction_id: callback.transactionId,
    sequence: callback.sequence,
    state: callback.state,
    created_at: callback.createdAt,
    next_attempt_at: callback.nextAttemptAt,
    attempts: callback.attempts.map((attempt) => ({
      number: attempt.number,
      sent_at: attempt.sentAt,
      http_status: attempt.httpStatus,
      error: attempt.error,
      duration_ms: attempt.durationMs,
    })),
  };
}
