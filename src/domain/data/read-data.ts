import { z } from 'zod';

/** Names file, place and reason of a fault in data/. The process does not start. */
export class DataError extends Error {
  override readonly name = 'DataError';
}

/** Throws DataError for the first fault. */
export function readData<S extends z.ZodType>(file: string, schema: S, content: unknown): z.output<S> {
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new DataError(`${file} is wrong at ${pathOf(issue?.path ?? [])}: ${issue?.message}`);
}

/** Writes a path as an editor's search takes it: `versions[0].services.ussd`. */
function pathOf(path: PropertyKey[]): string {
  return (
    path.reduce<string>((text, part) => {
      if (typeof part === 'number') return `${text}[${part}]`;
      const name = String(part);
      if (!/^[A-Za-z_]\w*$/.test(name)) return `${text}["${name}"]`;
      return text === '' ? name : `${text}.${name}`;
    }, '') || 'the top'
  );
}

export type Wrong = { path: PropertyKey[]; message: string };

/** Checks a whole value, which a schema of its parts cannot do. `find` yields faults. */
export function checked<S extends z.ZodType>(schema: S, find: (value: z.output<S>) => Iterable<Wrong>): S {
  return schema.check((context) => {
    for (const { path, message } of find(context.value as z.output<S>))
      context.issues.push({ code: 'custom', input: context.value, path, message });
  });
}

/** Yields rows whose `field` repeats an earlier row's; `what` names the field in a sentence. */
export function* repeated<R extends object>(
  rows: readonly R[],
  what: string,
  field: keyof R & string,
): Iterable<Wrong> {
  const seen = new Set<unknown>();
  for (const [index, row] of rows.entries()) {
    const value = row[field];
    if (seen.has(value)) yield { path: [index, field], message: `the ${what} ${value} is there twice` };
    seen.add(value);
  }
}

export function* missing<R extends object>(
  rows: readonly R[],
  what: string,
  { field, words }: { field: keyof R & string; words: readonly string[] },
): Iterable<Wrong> {
  for (const word of words)
    if (!rows.some((row) => row[field] === word))
      yield { path: [], message: `the ${what} ${word} is missing` };
}

/** A word of a closed list. The error names any other word. */
export function oneOf<const T extends readonly [string, ...string[]]>(what: string, words: T) {
  return z.enum(words, { error: ({ input }) => `${JSON.stringify(input)} is no ${what}` });
}

/** For people who keep the file; no program uses it. */
export const prose = z.string().min(1);
