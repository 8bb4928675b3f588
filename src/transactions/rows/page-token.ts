import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { KeyRing, NamedKey } from '../../base/key-ring.ts';
import type { Config } from '../../config/config.ts';
import type { Pages } from '../../platform/db/pool.ts';

/** Returns undefined if this installation has no pages. */
export function pagesOf(config: Pick<Config, 'PAY_URL' | 'PAGE_KEY'>): Pages | undefined {
  const { PAY_URL: url, PAGE_KEY: keys } = config;
  return url === undefined ? undefined : { url, keys };
}

/**
 * A page's token is the encrypted id of its bill, number, link or prompt: one AES-128 block, 22 characters.
 * No token is stored, so a restore loses none. Ids are public but do not reveal the token.
 */
export function pageTokenOf([key]: KeyRing, id: string): string {
  return encrypted(key, 'page', bytesOf(id)).toString('base64url');
}

/** Our ids have version 5, so 63 of 64 guessed tokens match nothing. */
const OURS = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-/;

/** Returns at most one possible id per key; none if the token is not ours. */
export function idsOfToken(keys: KeyRing, token: string): string[] {
  const block = Buffer.from(token, 'base64url');
  if (block.length !== 16 || block.toString('base64url') !== token) return [];
  const ids = keys.map((key) => idOf(decrypted(key, 'page', block)));
  return ids.some((id) => OURS.test(id)) ? ids : [];
}

/** `part` is 0 for a whole transaction, and counts a bill's or number's payments from 1. */
export type ReceiptName = { id: string; part: number };

/** A part has nine bits; its highest three choose the key. */
const LOW_BITS = 6;
const KEYS = 8;

/**
 * A receipt's token encrypts a transaction's id and part, so it does not reveal another payment's token. The
 * part's low bits replace the id's version and variant. Its high bits choose the key, and use the last
 * character's four spare bits.
 */
export function receiptTokenOf([key]: KeyRing, { id, part }: ReceiptName): string {
  const [block, high] = [bytesOf(id), part >> LOW_BITS];
  block.writeUInt8((block.readUInt8(6) & 0x0f) | ((part & 0x0f) << 4), 6);
  block.writeUInt8((block.readUInt8(8) & 0x3f) | ((part & 0x30) << 2), 8);
  const bytes = Buffer.concat([encrypted(key, `receipt/${high}`, block), Buffer.of(high << 4)]);
  return bytes.toString('base64url').slice(0, 22);
}

/** Returns one possible receipt per key; none if the token is malformed. */
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

/** One key per purpose, so a page's token opens no other kind of page. */
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
