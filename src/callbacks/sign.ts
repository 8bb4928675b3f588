import { createHmac } from 'node:crypto';
import { type Message, say } from '../domain/messages.ts';

const STANDARD_PREFIX = 'whsec_';

/** Anybody with one callback can find a shorter passphrase by trying all of them. */
const CHARACTERS_MIN = 24;
const CHARACTERS_MAX = 255;
/** A Standard Webhooks secret has 24 to 64 bytes. */
const KEY_BYTES_MIN = 24;

export type Signing = {
  eventId: string;
  body: string;
  /** every live passphrase, newest first; empty: unsigned */
  passphrases: readonly string[];
  /** when this attempt is sent, milliseconds since 1970 */
  sentAtMs: number;
};

/**
 * Makes the headers that prove a callback (docs/callbacks.md). `Service-Signature` uses only the newest
 * passphrase; `webhook-signature` has one value per live passphrase, so a receiver may take the new one
 * later. Each attempt has its own `webhook-timestamp`.
 */
export function signatureHeaders(signing: Signing): Record<string, string> {
  const timestamp = Math.floor(signing.sentAtMs / 1000);
  const headers = { 'webhook-id': signing.eventId, 'webhook-timestamp': String(timestamp) };
  const [newest] = signing.passphrases;
  if (newest === undefined) return headers;
  const content = `${signing.eventId}.${timestamp}.${signing.body}`;
  return {
    ...headers,
    'Service-Signature': serviceSignature(newest, signing.body),
    'webhook-signature': signing.passphrases
      .map((passphrase) => `v1,${hmac(standardKey(passphrase), content).toString('base64')}`)
      .join(' '),
  };
}

/** Returns lower-case hex HMAC-SHA256 of the exact body; the key is the whole passphrase in UTF-8. */
export function serviceSignature(passphrase: string, body: string): string {
  return hmac(Buffer.from(passphrase, 'utf8'), body).toString('hex');
}

/** Standard Webhooks reads the part after `whsec_` as base64. Other passphrases are used as their bytes. */
function standardKey(passphrase: string): Buffer {
  if (!passphrase.startsWith(STANDARD_PREFIX)) return Buffer.from(passphrase, 'utf8');
  return Buffer.from(passphrase.slice(STANDARD_PREFIX.length), 'base64');
}

/** Returns why a passphrase cannot be used, as a sentence for the merchant, or null. */
export function passphraseProblem(passphrase: string): Message | null {
  const characters = [...passphrase].length;
  if (characters < CHARACTERS_MIN || characters > CHARACTERS_MAX)
    return say('must_have_characters', { minimum: CHARACTERS_MIN, maximum: CHARACTERS_MAX });
  if (!passphrase.startsWith(STANDARD_PREFIX)) return null;
  const rest = passphrase.slice(STANDARD_PREFIX.length);
  const bytes = Buffer.from(rest, 'base64');
  if (bytes.toString('base64') !== rest) return say('must_have_padding');
  return bytes.length < KEY_BYTES_MIN ? say('must_have_bytes', { minimum: KEY_BYTES_MIN }) : null;
}

function hmac(key: Buffer, content: string): Buffer {
  return createHmac('sha256', key).update(content, 'utf8').digest();
}
