import { createHash, createHmac, randomInt } from 'node:crypto';
import type { KeyRing } from '../base/key-ring.ts';

/**
 * Merchants have `sk_<env>_<id>_<secret><check>`, operators `op_<id>_<secret><check>`. The public id finds
 * the row, the secret proves the key, and the check detects typing errors. All parts are base 62, so a double
 * click selects a whole key.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;
const SECRET_LENGTH = 32;
const CHECK_LENGTH = 6;
const SHAPE = new RegExp(
  `^(sk_test|sk_live|op)_([0-9A-Za-z]{${ID_LENGTH}})_([0-9A-Za-z]{${SECRET_LENGTH + CHECK_LENGTH}})$`,
);

export type KeyEnvironment = 'test' | 'live';
export type KeyPrefix = `sk_${KeyEnvironment}` | 'op';

/** Takes an id also as commands print it, `sk_live_` and the id. A whole key stays as it is. */
export function bareKeyId(text: string): string {
  return /^sk_(?:test|live)_([0-9A-Za-z]+)$/.exec(text)?.[1] ?? text;
}

export function newKeyId(): string {
  return randomText(ID_LENGTH);
}

export function newKey(prefix: KeyPrefix, id: string): string {
  const text = `${prefix}_${id}_${randomText(SECRET_LENGTH)}`;
  return text + checkOf(text);
}

/** Returns the id of a well-formed key of this kind; null otherwise, also after a typing error. */
export function readKeyId(prefix: KeyPrefix, key: string): string | null {
  const match = SHAPE.exec(key);
  if (!match?.[2] || match[1] !== prefix) return null;
  return checkOf(key.slice(0, -CHECK_LENGTH)) === key.slice(-CHECK_LENGTH) ? match[2] : null;
}

/** Says whether it is a key of this environment. The text alone decides, so the holder learns nothing new. */
export function formOf(environment: KeyEnvironment, key: string): 'right' | 'other environment' | 'no key' {
  if (readKeyId(`sk_${environment}`, key) !== null) return 'right';
  const other = environment === 'test' ? 'live' : 'test';
  return readKeyId(`sk_${other}`, key) === null ? 'no key' : 'other environment';
}

/** Runs on the owner's machine: the text stays there; id and fingerprint are public. */
export function makeKey(
  prefix: KeyPrefix,
  id: string = newKeyId(),
): { text: string; id: string; fingerprint: string } {
  const text = newKey(prefix, id);
  return { text, id, fingerprint: fingerprintOf(text) };
}

/** Returns SHA-256 in hex. A key has 190 random bits, so its fingerprint does not reveal it. */
export function fingerprintOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

export type Credential = { kind: 'key' | 'token' | 'session'; id: string; fingerprint: string };

/**
 * Makes the stored hash of a key, token or session. It is keyed, so a stolen table is useless without the
 * service's secret. Whoever adds a key gives its fingerprint and never sees the key. With kind and id, the
 * hash fits no other row.
 */
export function hashOf(hashSecret: Uint8Array, { kind, id, fingerprint }: Credential): Buffer {
  return createHmac('sha256', hashSecret).update(`${kind}:${id}:${fingerprint}`).digest();
}

/** Makes the audit log's mark of a person's number. Only number and secret together find it again. */
export function markOf([{ id, key }]: KeyRing, number: string): string {
  return `${id}:${createHmac('sha256', key).update(`number:${number}`).digest('hex').slice(0, 32)}`;
}

function checkOf(text: string): string {
  let number = createHash('sha256').update(text).digest().readUInt32BE(0);
  let check = '';
  for (let i = 0; i < CHECK_LENGTH; i += 1) {
    check = ALPHABET.charAt(number % ALPHABET.length) + check;
    number = Math.floor(number / ALPHABET.length);
  }
  return check;
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}
