import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { KeyRing, NamedKey } from '../../base/key-ring.ts';

/**
 * The token of a page is the id of its bill, number, link or prompt (16 bytes) as one block of AES-128, 22 characters.
 * Nothing is stored, so no restore can lose it. Merchants and callbacks show ids, but nobody knows a token by its id.
 */
export function pageTokenOf([key]: KeyRing, id: string): string {
  const cipher = createCipheriv('aes-128-ecb', blockKeyOf(key), null).setAutoPadding(false);
  return cipher.update(Buffer.from(id.replaceAll('-', ''), 'hex')).toString('base64url');
}

/** Ids that we make are of version 5: of 64 tokens that somebody guesses 63 lead to none. */
const OURS = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-/;

/** Returns at most one possible id for each key; none if the token is not ours. */
export function idsOfToken(keys: KeyRing, token: string): string[] {
  const block = Buffer.from(token, 'base64url');
  if (block.length !== 16 || block.toString('base64url') !== token) return [];
  const ids = keys.map((key) => {
    const cipher = createDecipheriv('aes-128-ecb', blockKeyOf(key), null).setAutoPadding(false);
    return cipher
      .update(block)
      .toString('hex')
      .replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
  });
  return ids.some((id) => OURS.test(id)) ? ids : [];
}

/** Another kind of page has another label, so that no token of one opens the other. */
function blockKeyOf({ key }: NamedKey): Buffer {
  return createHmac('sha256', key).update('malipo/pay/v1').digest().subarray(0, 16);
}
