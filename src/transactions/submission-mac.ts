import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../domain/canonical-json.ts';
import { type KeyRing, keyNamed } from '../domain/key-ring.ts';
import type { SignedSubmission, Submission } from '../domain/operation.ts';

/**
 * Anyone who can write to Temporal can start a workflow, so a workflow's input proves nothing. The API puts an
 * HMAC-SHA256 over the whole submission, ids and amounts and times included. API and workers have the key; Temporal
 * never has it.
 */
const PURPOSE = 'malipo/submission/v1\n';

/** `<name of the key>:<HMAC in base64url>`, made with the first key. */
export function signSubmission(keys: KeyRing, submission: Submission): SignedSubmission {
  const [{ id, key }] = keys;
  return { ...submission, mac: `${id}:${macOf(key, submission).toString('base64url')}` };
}

/** Whether one of the keys signed it as it is, to the last member. Never throws. */
export function isSigned(keys: KeyRing, { mac, ...submission }: SignedSubmission): boolean {
  const [id = '', text = ''] = typeof mac === 'string' ? mac.split(':') : [];
  const named = keyNamed(keys, id);
  if (!named) return false;
  const [given, expected] = [Buffer.from(text, 'base64url'), macOf(named.key, submission)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function macOf(key: Uint8Array, submission: Submission): Buffer {
  return createHmac('sha256', key).update(PURPOSE).update(canonicalJson(submission)).digest();
}
