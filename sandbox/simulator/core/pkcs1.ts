import { constants, type KeyObject, privateDecrypt } from 'node:crypto';

/**
 * Returns null if the text is not encrypted for this key. We remove the padding (00 02, at least eight other
 * bytes, 00) because Node answers random bytes, or refuses, if it is wrong.
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
