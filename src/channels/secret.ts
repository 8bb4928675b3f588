import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two texts are the same; the time it takes tells nothing about where they differ, nor about their lengths. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(expected));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
