import { constants, type KeyObject, privateDecrypt } from 'node:crypto';

/**
 * Returns null if the text is not encrypted for this key. Node answers random bytes, or refuses, if the
 * padding is wrong, so we remove it here: 00 02, at least eight bytes that are not 0, 00.
 */
export function decryptPkcs1(key: KeyObject, text: string): string | null {
  try {
    const block = privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, Buffer.from(text, 'base64'));
    const end = block.indexOf(0, 2);
    return block[0] === 0 && block[1] === 2 && end >= 10 ? block.subarray(end + 1).toString('utf8') : null;
  } catch {
    return null;
  }
}
