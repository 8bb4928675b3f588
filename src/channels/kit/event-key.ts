import { createHash } from 'node:crypto';

/** A repeated event has the same key: only its content counts, not when it was written or signed. */
export function eventKeyOf(said: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(said)).digest('hex');
}
