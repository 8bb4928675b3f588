import type { z } from 'zod';
import { type JsonText, toJsonText } from '../base/json-text.ts';

/**
 * What a presenter writes for a schema: every member by its name, undefined where an optional one does not apply, and a
 * merchant's own JSON as text. A member that is missing or misspelt does not compile.
 */
export type JsonOf<S extends z.ZodType> = Written<z.output<S>>;

type Written<T> = T extends readonly (infer Item)[]
  ? readonly Written<Item>[]
  : T extends object
    ? string extends keyof T
      ? JsonText
      : { [K in keyof Required<T>]: Written<T[K]> }
    : T;

/** The text of an answer or a callback, its members in the order in which they are given. */
export function writeJson<S extends z.ZodType>(body: JsonOf<S>): string {
  return toJsonText(body);
}

/** Examples of one schema by their names, as a reader of JSON gets them. */
export type Examples<S extends z.ZodType> = Record<string, z.output<S>>;
