import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { KeyRing, NamedKey } from '../../base/key-ring.ts';
import type { Config } from '../../config/config.ts';
import type { Pages } from '../../platform/db/pool.ts';

/** Addresses of pages are made with this; undefined where this installation has none. */
export function pagesOf(config: Pick<Config, 'PAY_URL' | 'PAGE_KEY'>): Pages | undefined {
  const { PAY_URL: url, PAGE_KEY: keys } = config;
  return url === undefined ? undefined : { url, keys };
}

/**
 * The token of a page is the id of its bill, number, link or prompt (16 bytes) as one block of AES-128, 22 characters.
 * Nothing is stored, so no restore can lose it. Merchants and callbacks show ids, but nobody knows a token by its id.
 */
export function pageTokenOf([key]: KeyRing, id: string): string {
  return encrypted(key, 'page', bytesOf(id)).toString('base64url');
}

/** Ids that we make are of version 5: of 64 tokens that somebody guesses 63 lead to none. */
const OURS = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-/;

/** Returns at most one possible id for each key; none if the token is not ours. */
export function idsOfToken(keys: KeyRing, token: string): string[] {
  const block = Buffer.from(token, 'base64url');
  if (block.length !== 16 || block.toString('base64url') !== token) return [];
  const ids = keys.map((key) => idOf(decrypted(key, 'page', block)));
  return ids.some((id) => OURS.test(id)) ? ids : [];
}

/** A receipt is of a transaction (`part` 0), or of this payment of a bill or number, from 1. */
export type ReceiptName = { id: string; part: number };

/** A part has nine bits, and its highest three choose the key. */
const LOW_BITS = 6;
const KEYS = 8;

/**
 * The token of a receipt is the id of its transaction with its part: the low bits of the part lie where every id of
 * ours has its version, and the last character, which has four bits to spare, says which key made the block. So nobody
 * makes the token of one payment of a bill from that of another one.
 */
export function receiptTokenOf([key]: KeyRing, { id, part }: ReceiptName): string {
  const [block, high] = [bytesOf(id), part >> LOW_BITS];
  block.writeUInt8((block.readUInt8(6) & 0x0f) | ((part & 0x0f) << 4), 6);
  block.writeUInt8((block.readUInt8(8) & 0x3f) | ((part & 0x30) << 2), 8);
  const bytes = Buffer.concat([encrypted(key, `receipt/${high}`, block), Buffer.of(high << 4)]);
  return bytes.toString('base64url').slice(0, 22);
}

/** Returns one possible receipt for each key; none if the token has not the form of ours. */
export function receiptsOfToken(keys: KeyRing, token: string): ReceiptName[] {
  const bytes = Buffer.from(`${token}A`, 'base64url');
  const high = /^[\w-]{22}$/.test(token) ? bytes.readUInt8(16) >> 4 : KEYS;
  if (high >= KEYS) return [];
  return keys.map((key) => {
    const block = decrypted(key, `receipt/${high}`, bytes.subarray(0, 16));
    const [sixth, eighth] = [block.readUInt8(6), block.readUInt8(8)];
    block.writeUInt8((sixth & 0x0f) | 0x50, 6);
    block.writeUInt8((eighth & 0x3f) | 0x80, 8);
    return { id: idOf(block), part: (high << LOW_BITS) | ((eighth & 0xc0) >> 2) | (sixth >> 4) };
  });
}

type Purpose = 'page' | `receipt/${number}`;

/** Each purpose has a key of its own: no token of one kind of page opens another. */
function blockKeyOf({ key }: NamedKey, purpose: Purpose): Buffer {
  return createHmac('sha256', key).update(`malipo/${purpose}/v1`).digest().subarray(0, 16);
}

const encrypted = (key: NamedKey, purpose: Purpose, block: Buffer) =>
  createCipheriv('aes-128-ecb', blockKeyOf(key, purpose), null).setAutoPadding(false).update(block);
const decrypted = (key: NamedKey, purpose: Purpose, block: Buffer) =>
  createDecipheriv('aes-128-ecb', blockKeyOf(key, purpose), null).setAutoPadding(false).update(block);

const bytesOf = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex');
const idOf = (block: Buffer) =>
  block.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
