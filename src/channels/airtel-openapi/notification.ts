import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RawNotification, Subject } from '../../domain/channel.ts';
import { readDoorJson } from '../kit/door-json.ts';
import { type Member, scalarOf, scanMembers } from '../kit/scan.ts';
import { allSecrets, type Secrets } from '../kit/secret.ts';
import { callbackSchema, HASH_HEADER, type WireCallback } from './wire.ts';

const CALLBACK_BYTES_MAX = 16 * 1024;
/** base64 of 32 bytes */
const HASH = /^[A-Za-z0-9+/]{43}=$/;

/** Returns null if it is no callback, or if `transaction` or `hash` occurs twice. */
export function readCallback(body: Buffer): WireCallback | null {
  return scan(body) && readDoorJson(callbackSchema, body);
}

/**
 * Checks base64(HMAC-SHA256(private key of the application, JSON)). Airtel does not document the hashed
 * bytes, so every known reading is tried: the inner or outer object, unchanged or without spaces, the hash in
 * the body or a header. Before one is right, the body is scanned, not parsed.
 */
export function isProven(raw: RawNotification, key: Secrets | undefined): boolean {
  const scanned = key === undefined ? null : scan(raw.body);
  if (key === undefined || !scanned) return false;
  const { text, members, inner } = scanned;
  const inBody = scalarOf(members.find(({ name }) => name === 'hash'));
  const given = [inBody, raw.headers[HASH_HEADER]].flatMap((hash) => {
    const trimmed = hash?.trim() ?? '';
    return HASH.test(trimmed) ? [Buffer.from(trimmed, 'base64')] : [];
  });
  if (given.length === 0) return false;
  const forms = hashedTexts(text, members, inner);
  const proven = allSecrets(key).find((one) =>
    forms.some((form) => {
      const digest = createHmac('sha256', one).update(form).digest();
      return given.some((hash) => timingSafeEqual(hash, digest));
    }),
  );
  return proven !== undefined;
}

export function hintOf(raw: RawNotification): Subject | null {
  const inner = scanMembers(scan(raw.body)?.inner ?? '');
  const reference = scalarOf(inner?.find(({ name }) => name === 'id'));
  return reference && reference.length <= 64 ? { reference } : null;
}

function scan(body: Buffer): { text: string; members: Member[]; inner: string } | null {
  if (body.length > CALLBACK_BYTES_MAX) return null;
  const text = body.toString('utf8');
  const members = scanMembers(text);
  const inner = members?.find(({ name }) => name === 'transaction')?.value;
  return members && inner?.startsWith('{') ? { text, members, inner } : null;
}

/** The outer text, without its hash, keeps the sender's spaces. */
function hashedTexts(text: string, members: Member[], inner: string): string[] {
  const compact = withoutSpaces(inner);
  const forms = [
    inner,
    compact,
    `{"transaction":${inner}}`,
    `{"transaction":${compact}}`,
    withoutHash(text, members).trim(),
  ];
  return [...new Set(forms)];
}

/** Drops spaces as `JSON.stringify` would; the scan has checked that every string ends. */
function withoutSpaces(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
}

function withoutHash(text: string, members: Member[]): string {
  const index = members.findIndex(({ name }) => name === 'hash');
  const hash = members[index];
  if (!hash) return text;
  const before = members[index - 1];
  const after = members[index + 1];
  if (before) return text.slice(0, before.to) + text.slice(hash.to);
  return text.slice(0, hash.from) + text.slice(after?.from ?? hash.to);
}
