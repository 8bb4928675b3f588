import { long } from './long.ts';

export const requests = {
  body_not_json_type: 'Send the body as application/json',
  body_not_batch_type: 'Send the body as application/json, or a file as {types}',
  body_not_utf8_type: 'Send the body in UTF-8',
  body_encoded: 'Send the body without Content-Encoding',
  body_too_large: 'The body is larger than {size} KiB: send less in one request',
  body_not_whole: 'The body did not arrive whole',
  body_empty: 'The body is empty; send a JSON object',
  body_no_object: 'The body must be a JSON object',
  body_too_deep: 'The body is nested deeper than {levels} levels',
  body_no_json: 'The body is not valid JSON',
  body_no_json_at: 'The body is not valid JSON at line {line}, column {column}',
  body_no_utf8: 'The body is not valid UTF-8',
  too_many_values: 'The body has more than {maximum} values, or thousands in one object; send fewer',
  body_costs_too_much: 'The body needs more time or memory than there is for one; send a smaller one',
  too_many_big_bodies:
    'Too many large bodies are on their way, and this one started nothing. Send it again a little later',
  key_not_allowed: 'The key __proto__ is not allowed',
  key_twice: 'The key {key} appears twice in one object',
  string_with_nul: 'A string contains the character NUL',
  string_with_half_pair: 'A string contains half of a surrogate pair',
  number_too_long: 'A number has more than {count} characters; send fewer digits, or in metadata a string',
  number_not_exact: 'The number {number} cannot be held exactly; send fewer digits, or in metadata a string',

  send_api_key: 'Send your API key: Authorization: Bearer <API_KEY>',
  authorization_no_bearer: long(
    'The Authorization header must have the word Bearer and then the API key: Authorization:',
    'Bearer <API_KEY>',
  ),
  authorization_no_key: 'This is no API key: it begins with sk_test_ or sk_live_ and has to be copied whole',
  key_is_live: 'This is a live key, and this service takes test keys (sk_test_)',
  key_is_test: 'This is a test key, and this service takes live keys (sk_live_)',
  key_not_accepted:
    'This API key is not accepted: it is unknown, has ended, or may not be used from this address',
  scope_missing: 'This API key lacks the scope {scope}',
  account_frozen:
    'This account is frozen: nothing new is accepted until that is lifted. This request did nothing',
  key_frozen:
    'This API key is frozen: nothing new is accepted with it until that is lifted. This request did nothing',
  too_many_requests_one_second: 'Too many requests; try again in 1 second',
  too_many_requests: 'Too many requests; try again in {seconds} seconds',
  nothing_here: 'There is nothing at this address; see {where}',
  nothing_here_but: 'There is nothing at this address; did you mean {path}?',
  use_method: 'Use {method} at this address',
  use_methods: 'Use {method} or {second} at this address',
  use_three_methods: 'Use {method} or {second} or {third} at this address',
  internal_error: 'Something went wrong on our side. Quote the request id to support',
  service_busy: long(
    'The service is busy, and this request started nothing.',
    'Send it again with the same Idempotency-Key, a little later',
  ),
  service_unavailable: 'The service is temporarily unavailable',
} as const;
