import { createHash, createHmac, randomInt } from 'node:crypto';
import type { KeyRing } from '../base/key-ring.ts';

/**
 * Merchants have `sk_<env>_<id>_<secret><check>`, operators `op_<id>_<secret><check>`: the id is public and finds the
 * row, the secret proves it, and the check refuses a typing error without asking the database. All parts are base 62,
 * so a key survives double clicks and addresses.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;
const SECRET_LENGTH = 32;
const CHECK_LENGTH = 6;
const SHAPE = new RegExp(
  `^(sk_test|sk_live|op)_([0-9A-Za-z]{${ID_LENGTH}})_([0-9A-Za-z]{${SECRET_LENGTH + CHECK_LENGTH}})$`,
);

export type KeyEnvironment = 'test' | 'live';
/** A merchant holds a key of one environment; an operator holds a token. */
export type KeyPrefix = `sk_${KeyEnvironment}` | 'op';

/** The id is public, and random, so that no two are the same. */
export function newKeyId(): string {
  return randomText(ID_LENGTH);
}

/** Makes a whole key with a new secret for an id. */
export function newKey(prefix: KeyPrefix, id: string): string {
  const text = `${prefix}_${id}_${randomText(SECRET_LENGTH)}`;
  return text + checkOf(text);
}

/** Returns the id of a well-formed key of this kind; null for anything else, a typing error included. */
export function readKeyId(prefix: KeyPrefix, key: string): string | null {
  const match = SHAPE.exec(key);
  if (!match?.[2] || match[1] !== prefix) return null;
  return checkOf(key.slice(0, -CHECK_LENGTH)) === key.slice(-CHECK_LENGTH) ? match[2] : null;
}

/** Says if a text is a merchant's key of this environment, of the other, or none: no secret to its holder. */
export function formOf(environment: KeyEnvironment, key: string): 'right' | 'other environment' | 'no key' {
  if (readKeyId(`sk_${environment}`, key) !== null) return 'right';
  const other = environment === 'test' ? 'live' : 'test';
  return readKeyId(`sk_${other}`, key) === null ? 'no key' : 'other environment';
}

/** The owner makes a key or token so: the text stays with him, id and fingerprint may be seen by everybody. */
export function makeKey(
  prefix: KeyPrefix,
  id: string = newKeyId(),
): { text: string; id: string; fingerprint: string } {
  const text = newKey(prefix, id);
  return { text, id, fingerprint: fingerprintOf(text) };
}

/** The SHA-256 is hex. A key has 190 random bits, so nobody finds one by its fingerprint. */
export function fingerprintOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** The fingerprint is of the text of this key, token or session's secret. */
export type Credential = { kind: 'key' | 'token' | 'session'; id: string; fingerprint: string };

/**
 * Makes what is stored of a key, token or session. It is keyed, so that a stolen table is useless without the service's own
 * secret; made of the fingerprint, so that the person who lets a key in never sees the key; and made of kind and id, so
 * that it opens nothing in another row.
 */
export function hashOf(hashSecret: Uint8Array, { kind, id, fingerprint }: Credential): Buffer {
  return createHmac('sha256', hashSecret).update(`${kind}:${id}:${fingerprint}`).digest();
}

/** The mark stands for a number in the audit log for ever: only the number and the secret together find it again. */
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
