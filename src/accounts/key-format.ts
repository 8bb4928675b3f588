import { createHash, createHmac, randomInt } from 'node:crypto';
import type { KeyRing } from '../domain/key-ring.ts';

/**
 * `sk_<env>_<id>_<secret><check>` for merchants, `op_<id>_<secret><check>` for operators: the id is public and finds the
 * row, the secret proves it, and the check refuses a typing error without asking the database. All parts are base 62, so
 * a key survives double clicks and addresses.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;
const SECRET_LENGTH = 32;
const CHECK_LENGTH = 6;
const SHAPE = new RegExp(
  `^(sk_test|sk_live|op)_([0-9A-Za-z]{${ID_LENGTH}})_([0-9A-Za-z]{${SECRET_LENGTH + CHECK_LENGTH}})$`,
);

export type KeyEnvironment = 'test' | 'live';
/** Whose it is: a merchant's key of one environment, or an operator's token. */
export type KeyPrefix = `sk_${KeyEnvironment}` | 'op';

/** The public part of a key; random, so that no two are the same. */
export function newKeyId(): string {
  return randomText(ID_LENGTH);
}

/** A whole key with a new secret for an id. */
export function newKey(prefix: KeyPrefix, id: string): string {
  const text = `${prefix}_${id}_${randomText(SECRET_LENGTH)}`;
  return text + checkOf(text);
}

/** The id of a well-formed key of this kind; null for anything else, a typing error included. */
export function readKeyId(prefix: KeyPrefix, key: string): string | null {
  const match = SHAPE.exec(key);
  if (!match?.[2] || match[1] !== prefix) return null;
  return checkOf(key.slice(0, -CHECK_LENGTH)) === key.slice(-CHECK_LENGTH) ? match[2] : null;
}

/** What is stored of a key: keyed, so that a stolen table is of no use without the service's own secret. */
export function hashKey(hashSecret: Uint8Array, key: string): Buffer {
  return createHmac('sha256', hashSecret).update(key).digest();
}

/** Stands for a number in the audit log, which is kept for ever: who knows the number and the secret finds it again. */
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
