import {
  constants,
  createCipheriv,
  createPublicKey,
  type KeyObject,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { encryptPkcs1, type PaddingByte } from '../kit/pkcs1.ts';

/** Airtel requires encryption of a signed request's body, its AES key, and a payout's PIN. */

/** Reads a key from the portal or the API: base64 SPKI or PEM. Throws if the text is no key. */
export function readPublicKey(text: string): KeyObject {
  const trimmed = text.trim();
  if (trimmed.startsWith('-----')) return createPublicKey(trimmed);
  return createPublicKey({ key: Buffer.from(trimmed, 'base64'), format: 'der', type: 'spki' });
}

/** Uses RSA-OAEP with SHA-256, also in the mask function; returns base64. */
function encryptOaep(key: KeyObject, text: string): string {
  const options = { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  return publicEncrypt(options, Buffer.from(text, 'utf8')).toString('base64');
}

export function encryptPin(key: KeyObject, pin: string, mode: 'pkcs1' | 'oaep'): string {
  return mode === 'oaep' ? encryptOaep(key, pin) : encryptPkcs1(key, pin);
}

export type Signature = { signature: string; key: string };

/** Makes the two headers that sign exactly these bytes. */
export function sign(
  publicKey: KeyObject,
  body: string,
  fixed: { aesKey?: Buffer; iv?: Buffer; padding?: PaddingByte } = {},
): Signature {
  const { aesKey = randomBytes(32), iv = randomBytes(16), padding } = fixed;
  const cipher = createCipheriv('aes-256-cbc', aesKey, iv);
  const signature = Buffer.concat([cipher.update(body, 'utf8'), cipher.final()]).toString('base64');
  const keyAndIv = `${aesKey.toString('base64')}:${iv.toString('base64')}`;
  return { signature, key: encryptPkcs1(publicKey, keyAndIv, padding) };
}
