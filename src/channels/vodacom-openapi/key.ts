import { constants, createPublicKey, type KeyObject, publicEncrypt, randomInt } from 'node:crypto';

/** 00 02, at least eight bytes of padding, 00 */
const FRAME_BYTES = 11;

/** The public key as the portal prints it: base64 of SubjectPublicKeyInfo. Throws when it is no RSA key. */
export function readPublicKey(base64: string): KeyObject {
  const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
  if (key.asymmetricKeyType !== 'rsa') throw new Error('the public key is no RSA key');
  return key;
}

/**
 * What stands behind `Bearer`: base64 of the text under RSA with PKCS#1 v1.5 padding. The padding is random; `paddingByte`
 * (never 0) is there so that a test can hold the result against a known one. Throws when the text is too long.
 */
export function encryptedBearer(
  text: string,
  key: KeyObject,
  paddingByte: () => number = () => randomInt(1, 256),
): string {
  const bytes = Buffer.from(text, 'utf8');
  const size = Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
  if (bytes.length > size - FRAME_BYTES) throw new RangeError('the text is too long for the public key');
  const padding = Buffer.from(Array.from({ length: size - bytes.length - 3 }, paddingByte));
  const framed = Buffer.concat([Buffer.from([0, 2]), padding, Buffer.from([0]), bytes]);
  return publicEncrypt({ key, padding: constants.RSA_NO_PADDING }, framed).toString('base64');
}
