import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { KeyRing, NamedKey } from '../base/key-ring.ts';

export const port = z.coerce.number().int().min(0).max(65_535);

export const url = z
  .string()
  .regex(/^https?:\/\/\S+$/, 'must be an http(s) address')
  .transform((text) => text.replace(/\/+$/, ''));

export function wholeNumber(min: number, max: number) {
  return z.coerce.number().int().min(min).max(max);
}

export function digits(min: number, max: number) {
  const wanted = min === max ? `${min}` : `${min} to ${max}`;
  return z.string().regex(new RegExp(`^[0-9]{${min},${max}}$`), `must be ${wanted} digits`);
}

export const list = z.string().transform((text) => text.split(',').map((entry) => entry.trim()));
export const looseList = list.transform((entries) => entries.filter((entry) => entry !== ''));

export const networks = looseList
  .default([])
  .refine(
    (entries) => entries.every(isNetwork),
    'must be addresses or networks like 10.0.0.0/8, with commas',
  );

function isNetwork(entry: string): boolean {
  return z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]).safeParse(entry).success;
}

export const origins = list.refine(
  (entries) => entries.every((entry) => URL.canParse(entry) && new URL(entry).origin === entry),
  'must be origins like https://temporal.example.com, with commas',
);

const KEYS_MAX = 20;
const KEY_BYTES = 32;
const keyError =
  'must be name:key with commas between, ' +
  `each key ${KEY_BYTES} bytes in base64 and each name and key used once`;

/** `name:key,name:key`: the first key encrypts and signs; all decrypt and verify. The name is optional. */
export const keyRing = list.transform((entries, context): KeyRing => {
  const keys = entries.map(namedKey);
  const [first, ...others] = keys.filter((one) => one !== null);
  const isWhole = first && others.length === entries.length - 1 && entries.length <= KEYS_MAX;
  if (isWhole && areDifferent([first, ...others])) return [first, ...others];
  context.addIssue({ code: 'custom', message: keyError });
  return z.NEVER;
});

function namedKey(entry: string): NamedKey | null {
  const colon = entry.indexOf(':');
  const key = Buffer.from(entry.slice(colon + 1), 'base64');
  if (key.length !== KEY_BYTES) return null;
  const id = colon < 0 ? nameOfKey(key) : entry.slice(0, colon);
  return /^[\w.-]{1,40}$/.test(id) ? { id, key } : null;
}

/** Eight hex digits of a hash of 32 random bytes reveal nothing of the key. */
export function nameOfKey(key: Uint8Array): string {
  return createHash('sha256').update('malipo/key-name').update(key).digest('hex').slice(0, 8);
}

function areDifferent(keys: readonly NamedKey[]): boolean {
  const values = keys.map(({ key }) => Buffer.from(key).toString('base64'));
  return new Set(keys.map(({ id }) => id)).size === keys.length && new Set(values).size === keys.length;
}
