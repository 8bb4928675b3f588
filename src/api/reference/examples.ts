import { writeAnswer } from '../../contract/json-of.ts';
import { errorBody, GatewayError, type MerchantErrorCode, withDocs } from '../../domain/errors.ts';
import type { CallbackEventName } from '../../domain/event.ts';
import { type Sentence, say } from '../../domain/messages.ts';
import recorded from './examples.json' with { type: 'json' };

type ByName = Record<string, unknown>;
type OfCall = { body?: ByName; answer?: ByName; csv?: ByName };

/** The recording test never gets these errors, which need a failure or hours of waiting. */
const rare = {
  invalid_request: refusal('invalid_request', 'This is not an HTTP request that can be read'),
  submission_expired: refusal('submission_expired', say('submission_expired')),
  rate_limited: refusal('rate_limited', say('too_many_requests_one_second')),
  internal_error: refusal('internal_error', say('internal_error')),
  unavailable: refusal('unavailable', say('service_unavailable')),
  outcome_unknown: refusal('outcome_unknown', say('outcome_unknown'), '09c97599-0ab0-5cb9-ad18-d6327c66ef03'),
};

const errors: Record<MerchantErrorCode, unknown> = { ...recorded.errors, ...rare };
const events: Record<CallbackEventName, ByName> = recorded.events;
const calls: Record<string, OfCall> = recorded.calls;

/** test/e2e/examples.test.ts recorded these. An error or callback without an example does not compile. */
export const examples = { calls, errors, events };

function refusal(code: MerchantErrorCode, message: Sentence, transactionId?: string): unknown {
  const error = new GatewayError(code, message, transactionId === undefined ? {} : { transactionId });
  return JSON.parse(
    withDocs(writeAnswer(errorBody(error, 'req_01jd4zr7m2'), 'en'), 'https://pay.example.com'),
  );
}
