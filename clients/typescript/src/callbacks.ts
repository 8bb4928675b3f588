import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Schemas } from './types.ts';

export type CallbackEvent =
  | Schemas['PaymentReceivedEvent']
  | Schemas['PaymentFailedEvent']
  | Schemas['PayoutCompletedEvent']
  | Schemas['PayoutFailedEvent']
  | Schemas['PayoutReturnedEvent']
  | Schemas['PingEvent'];

export type CallbackToRead = {
  /** the bytes as they came, before anything parsed them; or exactly their text */
  body: Uint8Array | string;
  /** `request.headers` of Node, or a `Headers` */
  headers: Headers | Record<string, string | string[] | undefined>;
  /** During a change give both, the old and the new one. */
  passphrase: string | readonly string[];
  /** how old a callback may be (300) */
  toleranceSeconds?: number;
  /** milliseconds since 1970, for tests */
  now?: number;
};

/** This request is not a callback of Malipo, or an old one that somebody sent again: answer 401. */
export class CallbackError extends Error {
  override name = 'CallbackError';
}

const STANDARD_PREFIX = 'whsec_';
const EMPTY = 'the passphrase is empty: everybody could sign with it';

/**
 * The event of a callback whose `webhook-signature` is right and whose time is near. Throws `CallbackError`. Events come
 * at least once: keep each `event_id`, and answer 200 to one that you have.
 */
export function readCallback(callback: CallbackToRead): CallbackEvent {
  const { body, passphrase, toleranceSeconds = 300, now = Date.now() } = callback;
  const header = headerIn(callback.headers);
  const [id, timestamp, signatures] = [
    header('webhook-id'),
    header('webhook-timestamp'),
    header('webhook-signature'),
  ];
  // A timestamp that is no number is far from now, too.
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds))
    throw new CallbackError('webhook-timestamp is too far from now');
  const bytes = Buffer.from(body);
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), bytes]);
  const expected = [passphrase].flat().map((each) => `v1,${hmac(keyOf(each), content).toString('base64')}`);
  const given = signatures.split(' ');
  if (!expected.some((one) => given.some((other) => isSame(one, other))))
    throw new CallbackError('webhook-signature does not match the body and the passphrase');
  return JSON.parse(bytes.toString('utf8'));
}

/**
 * Checks `Service-Signature` alone. It does not cover the time, so an old callback passes for ever: prefer
 * `readCallback`.
 */
export function hasServiceSignature(
  body: Uint8Array | string,
  signature: string | null | undefined,
  passphrase: string,
): boolean {
  if (passphrase === '') throw new TypeError(EMPTY);
  const expected = hmac(Buffer.from(passphrase, 'utf8'), Buffer.from(body)).toString('hex');
  return isSame(expected, signature ?? '');
}

function headerIn(headers: CallbackToRead['headers']): (name: string) => string {
  return (name) => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value !== 'string' || value === '') throw new CallbackError(`the header ${name} is missing`);
    return value;
  };
}

/** Standard Webhooks: the rest of a `whsec_…` passphrase is base64; any other passphrase is its own bytes. */
function keyOf(passphrase: string): Buffer {
  if (passphrase === '') throw new TypeError(EMPTY);
  if (!passphrase.startsWith(STANDARD_PREFIX)) return Buffer.from(passphrase, 'utf8');
  return Buffer.from(passphrase.slice(STANDARD_PREFIX.length), 'base64');
}

function hmac(key: Buffer, content: Buffer): Buffer {
  return createHmac('sha256', key).update(content).digest();
}

/** In constant time. */
function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
