import { createHash, randomInt } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;
const SECRET_LENGTH = 32;
const CHECK_LENGTH = 6;

/** `key` stays with you; id and fingerprint are for the people who run the service. */
export type MadeKey = { key: string; id: string; fingerprint: string };

/**
 * Makes an API key that nobody else sees. It opens nothing until two people who run the service let it in, by its
 * fingerprint. `id`: of a key that you have, for another secret of it. Throws TypeError where that is no id of a key.
 */
export function makeKey({
  environment,
  id = randomText(ID_LENGTH),
}: {
  environment: 'test' | 'live';
  id?: string;
}): MadeKey {
  if (!/^[0-9A-Za-z]{12}$/.test(id)) throw new TypeError('The id of a key has 12 letters and digits.');
  const begun = `sk_${environment}_${id}_${randomText(SECRET_LENGTH)}`;
  const key = begun + checkOf(begun);
  return { key, id: `sk_${environment}_${id}`, fingerprint: createHash('sha256').update(key).digest('hex') };
}

/** Refuses a typing error without asking anybody. */
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
