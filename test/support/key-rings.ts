import { randomBytes } from 'node:crypto';
import type { KeyRing, NamedKey } from '../../src/base/key-ring.ts';
import { nameOfKey } from '../../src/config/fields.ts';
import type { Submission } from '../../src/domain/operation.ts';
import { signSubmission } from '../../src/transactions/rows/submission-mac.ts';

export function keyOf(id = 'test', key: Uint8Array = randomBytes(32)): NamedKey {
  return { id, key };
}

export function ringOf(key: Uint8Array = randomBytes(32), id = nameOfKey(key)): KeyRing {
  return [keyOf(id, key)];
}

/** With which the tests' API signs and their workers check. */
export const submissionKeys: KeyRing = ringOf(Buffer.alloc(32, 5), 'submissions');
/** The same as processes are given it. */
export const SUBMISSION_KEY = `submissions:${Buffer.alloc(32, 5).toString('base64')}`;

export const sign = (submission: Submission) => signSubmission(submissionKeys, submission);
