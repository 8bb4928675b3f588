import type { z } from 'zod';
import type { JsonOf } from '../../contract/json-of.ts';

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;
type Members<S extends z.ZodObject> = {
  [Name in keyof JsonOf<S> & string as CamelCase<Name>]: JsonOf<S>[Name];
};

/** Only the members of the schema reach the JSON: `createdAt` as `created_at`. */
export function presented<S extends z.ZodObject>(schema: S, one: Members<S>): JsonOf<S> {
  const members = new Map<string, unknown>(Object.entries(one));
  const nameHere = (name: string) =>
    name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    Object.keys(schema.shape).map((name) => [name, members.get(nameHere(name))]),
  ) as JsonOf<S>;
}
