import { constants, type KeyObject, publicEncrypt, randomInt } from 'node:crypto';

/** Returns 1 to 255, but never 0, which would end the padding. */
export type PaddingByte = () => number;

const PADDING_MIN = 8;

/**
 * Encrypts by RSA PKCS#1 v1.5; returns base64. Tests give the padding. RangeError if the text is too long.
 */
export function encryptPkcs1(
  key: KeyObject,
  text: string,
  paddingByte: PaddingByte = () => randomInt(1, 256),
): string {
  const message = Buffer.from(text, 'utf8');
  const size = Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
  const length = size - message.length - 3;
  if (length < PADDING_MIN) throw new RangeError('the text is too long for the public key');
  const padding = Buffer.from(Array.from({ length }, paddingByte));
  const block = Buffer.concat([Buffer.from([0, 2]), padding, Buffer.from([0]), message]);
  return publicEncrypt({ key, padding: constants.RSA_NO_PADDING }, block).toString('base64');
}
