import { visit } from 'jsonc-parser';
import type { z } from 'zod';
import type { HttpResult } from './http.ts';

/**
 * A channel's JSON without what Postgres cannot store (NUL, half a character) and other control characters: a name that
 * carries one must not hold up its payment. A member that is null is one that is missing: many servers write every member
 * that they have no value for. Throws SyntaxError.
 */
export function parseCleanJson(text: string): unknown {
  return JSON.parse(withoutMark(text), (_key, value) => {
    if (value === null) return undefined;
    return typeof value === 'string' ? value.replace(/[\p{Cc}\p{Surrogate}]/gu, '') : value;
  });
}

/** The first member that an object of a JSON text has twice: two readers would take different ones. Null where there is none. */
export function memberTwice(body: Buffer): string | null {
  const text = withoutMark(body.toString('utf8'));
  if (!/^\s*[[{]/.test(text)) return null;
  const names: Set<string>[] = [];
  let twice: string | null = null;
  visit(text, {
    onObjectBegin: () => {
      names.push(new Set());
    },
    onObjectEnd: () => {
      names.pop();
    },
    onObjectProperty(name) {
      const own = names.at(-1);
      if (own?.has(name)) twice ??= name.replace(/[^\w.-]/g, '').slice(0, 64);
      own?.add(name);
    },
  });
  return twice;
}

/** Some servers begin their JSON with a byte order mark, which JSON has no place for. */
export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
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

/** What an answer with HTTP 200 says; null of every other one. */
export function readOk<T extends z.ZodType>(schema: T, answer: HttpResult): z.infer<T> | null {
  return answer.kind === 'answer' && answer.status === 200 ? readCleanJson(schema, answer.body) : null;
}
