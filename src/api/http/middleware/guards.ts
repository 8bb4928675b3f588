import type { IncomingMessage } from 'node:http';
import type { Keys, Principal } from '../../../accounts/keys.ts';
import { GatewayError } from '../../../domain/errors.ts';
import type { Endpoint } from '../endpoint.ts';
import type { ClientAddress } from './client-address.ts';
import type { RateLimits } from './rate-limits.ts';

const KEY_CHARACTERS_MAX = 255;

/** Counts what was sent to prove a sender and did not, by the sender's address. */
export type FailureCounter = { addressOf: ClientAddress } & Pick<RateLimits, 'countFailure' | 'isLimited'>;

/**
 * Missing, malformed, unknown, expired, revoked, or not from an allowed address: all alike. Who sends too many wrong
 * ones gets `rate_limited`; a missing header is not counted, and a valid key is never refused for it.
 */
export async function authenticate(
  keys: Pick<Keys, 'authenticate' | 'isKnown'>,
  request: IncomingMessage,
  guard: FailureCounter,
): Promise<Principal> {
  const header = request.headers.authorization;
  const given = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
  const address = guard.addressOf(request);
  // A wrong key from a limited address costs no query; a good one is looked up from there as well.
  const isWorthIt = given !== undefined && (!guard.isLimited(address) || (await keys.isKnown(given)));
  const principal = isWorthIt ? await keys.authenticate(given, address) : null;
  if (principal) return principal;
  if (header) await guard.countFailure(address);
  throw new GatewayError('unauthorized', 'Send a valid API key: Authorization: Bearer <API_KEY>');
}

/** Throws `forbidden`, naming what is missing. */
export function requireScopes(
  principal: Principal,
  { scopes, everyScope }: Pick<Endpoint, 'scopes' | 'everyScope'>,
): void {
  const needed = scopes ?? [];
  const missing = needed.filter((scope) => !principal.scopes.includes(scope));
  if (everyScope ? missing.length === 0 : missing.length < needed.length) return;
  const named = everyScope ? missing.join(' and ') : missing.join(' or ');
  throw new GatewayError('forbidden', `This API key lacks the scope ${named}`);
}

/**
 * 1–255 visible ASCII characters; `"k"` and `k` are one key. Throws when malformed or sent twice, and when a required
 * one is missing; an optional one that was not sent is ''.
 */
export function readIdempotencyKey(request: IncomingMessage, need: 'required' | 'optional'): string {
  const values = request.headersDistinct['idempotency-key'] ?? [];
  const [value] = values;
  if (value === undefined && need === 'optional') return '';
  if (value === undefined || (value === '' && need === 'required')) {
    throw new GatewayError(
      'idempotency_key_missing',
      'Send an Idempotency-Key header: one new value per payment, the same value when you retry it',
    );
  }
  const key = /^"(.*)"$/.exec(value)?.[1] ?? value;
  const isValid = values.length === 1 && key.length <= KEY_CHARACTERS_MAX && /^[\x21-\x7e]+$/.test(key);
  if (isValid) return key;
  throw new GatewayError(
    'idempotency_key_invalid',
    'The Idempotency-Key header must be sent once, with 1 to 255 visible ASCII characters and no spaces',
  );
}
