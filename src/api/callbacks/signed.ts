import type { SignedCallback } from '../../callbacks/signed.ts';
import { callbackAnswer } from '../../contract/callback-answers.ts';
import { type JsonOf, writeJson } from '../../contract/json-of.ts';
import { callerOf, type Endpoint, type Handler } from '../http/endpoint.ts';
import { signedAnswers } from '../reference/examples/callback.ts';

export const getCallback = {
  method: 'GET',
  paths: ['callbacks/{event_id}'],
  summary: 'An event of this API key as it is sent: its exact bytes, signed now',
  scopes: ['callbacks:write'],
  answer: callbackAnswer,
  examples: { answer: signedAnswers },
} as const satisfies Endpoint;

/** The request that a merchant's own tool makes to hand an event to a receiver that we cannot reach. */
export type SignCallback = (asked: { eventId: string; keyId: string }) => Promise<SignedCallback>;

export function createGetCallback(sign: SignCallback): Handler {
  return async (request) => {
    const signed = await sign({ eventId: request.id, keyId: callerOf(request).keyId });
    return {
      body: writeJson<typeof callbackAnswer>({
        success: true,
        message: 'Callback retrieved successfully',
        event_id: signed.eventId,
        event: signed.event,
        headers: signed.headers as JsonOf<typeof callbackAnswer>['headers'],
        body: signed.body,
      }),
    };
  };
}
