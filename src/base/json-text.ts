const TEXT = Symbol('json text');
export type JsonText = { [TEXT]: string };

/** A value that is JSON text already and is put into an answer as it is: a merchant's metadata, echoed as sent. */
export function jsonText(text: string): JsonText {
  return { [TEXT]: text };
}

/** JSON.stringify that knows `jsonText`. Members that are undefined are absent. `replace` may put another for a value. */
export function toJsonText(given: unknown, replace: (value: unknown) => unknown): string {
  const value = replace(given);
  if (Array.isArray(value)) return `[${value.map((inner) => toJsonText(inner, replace)).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (TEXT in value) return (value as JsonText)[TEXT];
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${members.map(([key, inner]) => `${JSON.stringify(key)}:${toJsonText(inner, replace)}`).join(',')}}`;
}
