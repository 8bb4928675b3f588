import { callbackAnswer } from '../../contract/callback-answers.ts';
import type { JsonOf } from '../../contract/json-of.ts';
import { say } from '../../domain/messages.ts';
import { callerOf, done } from '../kit/call.ts';
import { call } from '../kit/gateway-call.ts';

/** A merchant's tool fetches an event here, to pass it to a receiver that we cannot reach. */
export const getCallback = call(
  {
    method: 'GET',
    paths: ['callbacks/{event_id}'],
    summary: 'An event of this API key as it is sent: its exact bytes, signed now',
    purpose:
      'Hand an event to a receiver that we cannot reach, such as the one on your laptop: ' +
      'send `body` to it, byte for byte, with `headers`. `callbacks forward` of the client that this ' +
      'service serves does just that; nothing is sent by us and nothing is noted.',
    scopes: ['callbacks:write'],
    answer: callbackAnswer,
  },
  async (request, { signCallback }) => {
    const signed = await signCallback({ eventId: request.id, keyId: callerOf(request).keyId });
    return {
      ...done(say('callback_found')),
      event_id: signed.eventId,
      event: signed.event,
      headers: signed.headers as JsonOf<typeof callbackAnswer>['headers'],
      body: signed.body,
    };
  },
);
