import { createHash } from 'node:crypto';

/** Makes the same key for a repeated event: only content counts, not when it was written or signed. */
export function eventKeyOf(said: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(said)).digest('hex');
}
