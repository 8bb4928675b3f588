import type { IncomingMessage } from 'node:http';
import { formOf, type KeyEnvironment } from '../../accounts/key-format.ts';
import type { Keys, Principal } from '../../accounts/keys.ts';
import { GatewayError } from '../../domain/errors.ts';
import { type Message, type Sentence, say } from '../../domain/messages.ts';
import type { ClientAddress } from '../../platform/http/client-address.ts';
import type { RateLimits } from '../../platform/http/rate-limits.ts';
import type { MerchantLine } from './call.ts';

export type MerchantKeys = Pick<Keys, 'authenticate' | 'isKnown' | 'environment'>;

const KEY_CHARACTERS_MAX = 255;

export type FailureCounter = { addressOf: ClientAddress } & Pick<RateLimits, 'countFailure' | 'isLimited'>;

/**
 * A refusal tells only what the caller sees: no header, not Bearer, no key, a key of the other environment.
 * Unknown, expired and revoked keys and forbidden addresses get the same refusal. Too many wrong keys from an
 * address give `rate_limited`. A missing header does not count, and a valid key always works.
 */
export async function authenticate(
  keys: MerchantKeys,
  request: IncomingMessage,
  guard: FailureCounter,
): Promise<Principal> {
  const header = request.headers.authorization;
  const given = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
  const address = guard.addressOf(request);
  // A wrong key from a limited address costs no query; a valid key is still looked up.
  const isWorthIt = given !== undefined && (!guard.isLimited(address) || (await keys.isKnown(given)));
  const principal = isWorthIt ? await keys.authenticate(given, address) : null;
  if (principal) return principal;
  if (header) await guard.countFailure(address);
  throw new GatewayError('unauthorized', whyRefused(header, given, keys.environment));
}

function whyRefused(
  header: string | undefined,
  given: string | undefined,
  environment: KeyEnvironment,
): Message {
  if (!header) return say('send_api_key');
  if (given === undefined) return say('authorization_no_bearer');
  switch (formOf(environment, given)) {
    case 'no key':
      return say('authorization_no_key');
    case 'other environment':
      return environment === 'test' ? say('key_is_live') : say('key_is_test');
    case 'right':
      return say('key_not_accepted');
  }
}

/** Throws `forbidden` with the missing scopes. */
export function requireScopes(
  principal: Principal,
  { scopes, everyScope }: Pick<MerchantLine, 'scopes' | 'everyScope'>,
): void {
  const needed = scopes ?? [];
  const missing = needed.filter((scope) => !principal.scopes.includes(scope));
  if (everyScope ? missing.length === 0 : missing.length < needed.length) return;
  throw new GatewayError(
    'forbidden',
    say('scope_missing', { scope: listOf(missing, everyScope ? 'scopes_and' : 'scopes_or') }),
  );
}

function listOf([scope = '', ...others]: readonly string[], joint: 'scopes_and' | 'scopes_or'): Sentence {
  return others.length === 0 ? scope : say(joint, { scope, other: listOf(others, joint) });
}

/** A program that lost its key sends one of these, and all its orders would become one. */
const NO_KEYS = ['undefined', 'null', 'NaN'];

/**
 * Accepts 1–255 visible ASCII characters, quoted or not; absent: ''. Throws if malformed, twice or missing.
 */
export function readIdempotencyKey(request: IncomingMessage, need: 'required' | 'optional'): string {
  const values = request.headersDistinct['idempotency-key'] ?? [];
  const [value] = values;
  if (value === undefined && need === 'optional') return '';
  if (value === undefined || (value === '' && need === 'required')) {
    throw new GatewayError('idempotency_key_missing', say('idempotency_key_missing'));
  }
  const key = /^"(.*)"$/.exec(value)?.[1] ?? value;
  const isValid = values.length === 1 && key.length <= KEY_CHARACTERS_MAX && /^[\x21-\x7e]+$/.test(key);
  if (isValid && !NO_KEYS.includes(key)) return key;
  if (isValid) throw new GatewayError('idempotency_key_invalid', say('idempotency_key_of_nothing', { key }));
  throw new GatewayError('idempotency_key_invalid', say('idempotency_key_wrong'));
}
