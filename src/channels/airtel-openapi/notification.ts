import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RawNotification } from '../../domain/channel.ts';
import { read } from './credentials.ts';
import { callbackSchema, HASH_HEADER, type WireCallback } from './wire.ts';

/** A callback is a few hundred bytes. */
export const CALLBACK_BYTES_MAX = 16 * 1024;

/** One member of the outer object, as it was written. */
type Member = { name: string; value: string; from: number; to: number };

/**
 * Reads a callback; null when it is none. A body that names `transaction` or `hash` twice is none: what was proven and
 * what is read could be two things.
 */
export function readCallback(body: Buffer): (WireCallback & { text: string; members: Member[] }) | null {
  if (body.length > CALLBACK_BYTES_MAX) return null;
  const callback = read(callbackSchema, body);
  if (!callback) return null;
  const text = body.toString('utf8');
  const members = membersOf(text);
  if (new Set(members.map(({ name }) => name)).size !== members.length) return null;
  return { ...callback, text, members };
}

/**
 * Whether the hash proves the sender: base64(HMAC-SHA256(the application's private key, JSON)). Nobody has shown which
 * bytes are hashed, so any of the known readings counts: the object inside or outside, as it came or written anew, in
 * the body or in a header.
 */
export function isProven(raw: RawNotification, key: string | undefined): boolean {
  const callback = key === undefined ? null : readCallback(raw.body);
  if (key === undefined || !callback) return false;
  const given = [callback.hash, raw.headers[HASH_HEADER]].filter((hash): hash is string => Boolean(hash));
  const expected = hashedTexts(callback.text, callback.members).map((text) =>
    createHmac('sha256', key).update(text).digest(),
  );
  return given.some((hash) =>
    expected.some((digest) => sameBytes(Buffer.from(hash.trim(), 'base64'), digest)),
  );
}

/** The outer text without its hash keeps the spaces of whoever wrote it. */
function hashedTexts(text: string, members: Member[]): string[] {
  const inner = members.find(({ name }) => name === 'transaction')?.value ?? '';
  const compact = JSON.stringify(JSON.parse(inner));
  const forms = [
    inner,
    compact,
    `{"transaction":${inner}}`,
    `{"transaction":${compact}}`,
    withoutHash(text, members).trim(),
  ];
  return [...new Set(forms)];
}

/** Cuts the member `hash` out, with the comma that is no longer needed. */
function withoutHash(text: string, members: Member[]): string {
  const index = members.findIndex(({ name }) => name === 'hash');
  const hash = members[index];
  if (!hash) return text;
  const before = members[index - 1];
  const after = members[index + 1];
  if (before) return text.slice(0, before.to) + text.slice(hash.to);
  return text.slice(0, hash.from) + text.slice(after?.from ?? hash.to);
}

/** The members of an object that is known to be JSON, in one walk over its text. */
function membersOf(text: string): Member[] {
  const members: Member[] = [];
  let at = skipSpace(text, text.indexOf('{') + 1);
  while (text[at] === '"') {
    const nameEnd = endOfValue(text, at);
    const colon = skipSpace(text, nameEnd);
    const valueFrom = skipSpace(text, colon + 1);
    const to = endOfValue(text, valueFrom);
    members.push({
      name: JSON.parse(text.slice(at, nameEnd)) as string,
      value: text.slice(valueFrom, to),
      from: at,
      to,
    });
    const next = skipSpace(text, to);
    at = text[next] === ',' ? skipSpace(text, next + 1) : next;
  }
  return members;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? '')) at += 1;
  return at;
}

/** Where the value that begins here ends: after its last character. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '"') {
      at = endOfString(text, at) - 1;
      if (depth === 0) return at + 1;
    } else if (character === '{' || character === '[') {
      depth += 1;
    } else if (character === '}' || character === ']') {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && ', \t\r\n'.includes(character)) {
      return at;
    }
  }
  return text.length;
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function sameBytes(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
