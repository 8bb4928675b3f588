import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { RawNotification } from '../../domain/channel.ts';

/** Two secrets are valid during a replacement: we use the first and accept both. */
export type Secrets = string | readonly [string, string];

export function oneOrTwo(secret: z.ZodString) {
  return z.union([secret, z.tuple([secret, secret])]);
}

export function firstSecret(secrets: Secrets): string {
  return typeof secrets === 'string' ? secrets : secrets[0];
}

export function allSecrets(secrets: string | readonly string[]): readonly string[] {
  return [secrets].flat();
}

/** Compares in a time that reveals neither the place of a difference nor the lengths. */
export function isSameText(given: string, expected: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(expected));
}

/** Compares with all secrets, so that the time taken reveals nothing. */
export function isSameSecret(given: string, expected: string | readonly string[]): boolean {
  return allSecrets(expected).filter((one) => isSameText(given, one)).length > 0;
}

/** Proves the sender by the secret in the address, for messages that have no proof. */
export function isOurAddress(
  { token }: Pick<RawNotification, 'token'>,
  expected: Secrets | undefined,
): boolean {
  return expected !== undefined && token !== null && isSameSecret(token, expected);
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
