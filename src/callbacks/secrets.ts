import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type KeyRing, keyNamed } from '../base/key-ring.ts';

/**
 * Layout: version (1 byte) | length of the key's name (1) | name | nonce (12) | tag (16) | ciphertext. A new
 * algorithm needs a new version. The tag authenticates version, name and owner too.
 */
const VERSION = 2;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NAME_AT = 2;

/**
 * Encrypts a passphrase with AES-256-GCM and the first key. The tag covers `owner` (the API key's id), so a
 * ciphertext copied to another row does not open. Throws RangeError if the key is not 32 bytes.
 */
export function encryptSecret(keys: KeyRing, plaintext: string | Uint8Array, owner: string): Buffer {
  const [{ id, key }] = keys;
  const nonce = randomBytes(NONCE_BYTES);
  const head = headOf(id);
  const cipher = createCipheriv('aes-256-gcm', checked(key), nonce);
  cipher.setAAD(Buffer.concat([head, Buffer.from(owner, 'utf8')]));
  const ciphertext = Buffer.concat([
    cipher.update(typeof plaintext === 'string' ? Buffer.from(plaintext, 'utf8') : plaintext),
    cipher.final(),
  ]);
  return Buffer.concat([head, nonce, cipher.getAuthTag(), ciphertext]);
}

/** Opens text from `encryptSecret`. Throws if its key is missing, or if the owner or any bit differs. */
export function decryptSecret(keys: KeyRing, sealed: Uint8Array, owner: string): string {
  return openSealed(keys, sealed, owner).toString('utf8');
}

/** Opens bytes from `encryptSecret`. Throws as `decryptSecret` does. */
export function openSealed(keys: KeyRing, sealed: Uint8Array, owner: string): Buffer {
  const bytes = Buffer.from(sealed);
  const id = keyNameOf(bytes);
  const named = keyNamed(keys, id);
  if (!named) throw new Error(`a stored secret was sealed with the key ${id}, which is not there`);
  const head = headOf(id);
  const nonce = bytes.subarray(head.length, head.length + NONCE_BYTES);
  const tagAt = head.length + NONCE_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', checked(named.key), nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.concat([head, Buffer.from(owner, 'utf8')]));
  decipher.setAuthTag(bytes.subarray(tagAt, tagAt + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(tagAt + TAG_BYTES)), decipher.final()]);
}

export function keyNameOf(sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed);
  const nameEnd = NAME_AT + (bytes[1] ?? 0);
  if (bytes[0] !== VERSION || bytes.length < nameEnd + NONCE_BYTES + TAG_BYTES)
    throw new Error('a stored secret has an unknown format');
  return bytes.subarray(NAME_AT, nameEnd).toString('utf8');
}

export function keyNameIn<const C extends string>(column: C) {
  return `convert_from(substring(${column} FROM 3 FOR get_byte(${column}, 1)), 'UTF8')` as const;
}

function headOf(id: string): Buffer {
  const name = Buffer.from(id, 'utf8');
  return Buffer.concat([Buffer.of(VERSION, name.length), name]);
}

function checked(key: Uint8Array): Uint8Array {
  if (key.length !== 32) throw new RangeError('the encryption key must have 32 bytes');
  return key;
}
