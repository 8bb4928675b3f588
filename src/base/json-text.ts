const TEXT = Symbol('json text');
export type JsonText = { [TEXT]: string };

/** Marks text that is already JSON, such as a merchant's metadata: answers include it unchanged. */
export function jsonText(text: string): JsonText {
  return { [TEXT]: text };
}

/** JSON.stringify with `jsonText`, without undefined members. `replace` may substitute each value. */
export function toJsonText(given: unknown, replace: (value: unknown) => unknown): string {
  const value = replace(given);
  if (Array.isArray(value)) return `[${value.map((inner) => toJsonText(inner, replace)).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (TEXT in value) return (value as JsonText)[TEXT];
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${members
    .map(([key, inner]) => `${JSON.stringify(key)}:${toJsonText(inner, replace)}`)
    .join(',')}}`;
}
