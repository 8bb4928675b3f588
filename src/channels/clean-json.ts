import type { z } from 'zod';

/**
 * A channel's JSON without what Postgres cannot store (NUL, half a character) and other control characters: a name that
 * carries one must not hold up its payment. Throws SyntaxError.
 */
export function parseCleanJson(text: string): unknown {
  return JSON.parse(text, (_key, value) =>
    typeof value === 'string' ? value.replace(/[\p{Cc}\p{Surrogate}]/gu, '') : value,
  );
}

/** A body of a channel as what it should be; null when it is unreadable. Never throws. */
export function readCleanJson<T extends z.ZodType>(schema: T, body: Buffer): z.infer<T> | null {
  try {
    const parsed = schema.safeParse(parseCleanJson(body.toString('utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
