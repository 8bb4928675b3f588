import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** version (1 byte) | nonce (12) | tag (16) | ciphertext. A new algorithm gets a new version; old ones stay readable. */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/**
 * Encrypts a passphrase with AES-256-GCM. `owner` (the API key's id) is authenticated with it, so that a ciphertext
 * copied to another key's row does not open. Throws RangeError when the key is not 32 bytes.
 */
export function encryptSecret(encryptionKey: Uint8Array, plaintext: string, owner: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', checked(encryptionKey), nonce);
  cipher.setAAD(Buffer.from(owner, 'utf8'));
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ciphertext]);
}

/** Opens what encryptSecret sealed. Throws when the key, the owner or a single bit is another one. */
export function decryptSecret(encryptionKey: Uint8Array, sealed: Uint8Array, owner: string): string {
  const bytes = Buffer.from(sealed);
  if (bytes.length < HEADER_BYTES || bytes[0] !== VERSION) {
    throw new Error('a stored secret has an unknown format');
  }
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', checked(encryptionKey), nonce, {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(owner, 'utf8'));
  decipher.setAuthTag(bytes.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(HEADER_BYTES)), decipher.final()]).toString('utf8');
}

function checked(encryptionKey: Uint8Array): Uint8Array {
  if (encryptionKey.length !== 32) throw new RangeError('the encryption key must have 32 bytes');
  return encryptionKey;
}
