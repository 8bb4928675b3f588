import type { z } from 'zod';
import type { HttpResult } from './http.ts';
import { withoutMark } from './member-twice.ts';

export { withoutMark };

/**
 * Drops control characters and half surrogate pairs, which Postgres cannot store, so that a bad name does not
 * block its payment. A null member counts as missing, because many servers write every member. Throws
 * SyntaxError.
 */
export function parseCleanJson(text: string): unknown {
  return JSON.parse(withoutMark(text), (_key, value) => {
    if (value === null) return undefined;
    return typeof value === 'string' ? value.replace(/[\p{Cc}\p{Surrogate}]/gu, '') : value;
  });
}

/** Returns null if the body is unreadable. Never throws. */
export function readCleanJson<T extends z.ZodType>(schema: T, body: Buffer): z.infer<T> | null {
  try {
    const parsed = schema.safeParse(parseCleanJson(body.toString('utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

export function readOk<T extends z.ZodType>(schema: T, answer: HttpResult): z.infer<T> | null {
  return answer.kind === 'answer' && answer.status === 200 ? readCleanJson(schema, answer.body) : null;
}
