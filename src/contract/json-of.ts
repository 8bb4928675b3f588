import { z } from 'zod';
import { type JsonText, toJsonText } from '../base/json-text.ts';
import { inLanguage, type Language } from '../domain/language.ts';
import { Message } from '../domain/messages.ts';

declare const SENTENCE: unique symbol;
/** A presenter writes a Message here; JSON gets its text in the language of the answer. */
export const sentence: z.ZodType<string & { readonly [SENTENCE]?: true }> = z.string();

/** A presenter must name every member, if only as undefined: a missing one does not compile. */
export type JsonOf<S extends z.ZodType> = Written<z.output<S>>;

type Written<T> = T extends string
  ? typeof SENTENCE extends keyof T
    ? Message
    : T
  : T extends readonly (infer Item)[]
    ? readonly Written<Item>[]
    : T extends object
      ? string extends keyof T
        ? JsonText
        : { [K in keyof Required<T>]: Written<T[K]> }
      : T;

/** A stored answer is repeated unchanged, so it keeps the language of the first request. */
export function writeJson<S extends z.ZodType>(
  { language = 'en' }: { language?: Language },
  body: JsonOf<S>,
): string {
  return writeAnswer(body, language);
}

/** Writes a body that its schema has already checked. */
export function writeAnswer(body: unknown, language: Language): string {
  return toJsonText(body, (value) => (value instanceof Message ? inLanguage(value, language) : value));
}
