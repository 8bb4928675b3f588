import { createPublicKey, type KeyObject } from 'node:crypto';

/** Reads a public key as the portal prints it: base64 of SubjectPublicKeyInfo. Throws if it is no RSA key. */
export function readPublicKey(base64: string): KeyObject {
  const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
  if (key.asymmetricKeyType !== 'rsa') throw new Error('the public key is no RSA key');
  return key;
}
