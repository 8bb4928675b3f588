import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

type Json = { [name: string]: Json } & Json[] & string;
type Operation = { method: string; status?: number };

/** A published OpenAPI 3.0 document, as far as messages can be held against it. */
export type OpenApiDocument = {
  /** problems of a request body; none when it is valid */
  requestProblems(path: string, body: unknown): string[];
  responseProblems(path: string, operation: Required<Operation>, body: unknown): string[];
  /** problems of the headers that the operation names */
  headerProblems(path: string, method: string, headers: Record<string, unknown>): string[];
  /** problems of a callback that the operation declares */
  callbackProblems(path: string, callback: string, body: unknown): string[];
};

export function readOpenApi(text: string): OpenApiDocument {
  const document = parse(text) as Json;
  modernise(document);
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');
  const compiled = new Map<string, ValidateFunction>();

  function problems(pointer: string[], value: unknown): string[] {
    const key = pointer.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
    const reference = `document#/${encodeURI(key)}`;
    const validate = compiled.get(reference) ?? ajv.compile({ $ref: reference });
    compiled.set(reference, validate);
    validate(value);
    return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  }

  function at(pointer: string[]): Json {
    return pointer.reduce(
      (node: Json | undefined, part) => node?.[part] as Json | undefined,
      document,
    ) as Json;
  }

  /** The place where a `$ref` leads, or the place itself. */
  function resolve(pointer: string[]): string[] {
    const target = at(pointer)?.$ref as string | undefined;
    return target === undefined ? pointer : resolve(target.slice(2).split('/'));
  }

  function operationOf(path: string, method: string): string[] {
    const template = Object.keys(document.paths as Json).find((candidate) =>
      new RegExp(`^${candidate.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(path),
    );
    if (template === undefined) throw new Error(`the document has no ${path}`);
    return ['paths', template, method.toLowerCase()];
  }

  const bodySchema = (place: string[]) => [...resolve(place), 'content', 'application/json', 'schema'];

  return {
    requestProblems: (path, body) =>
      problems(bodySchema([...operationOf(path, 'post'), 'requestBody']), body),
    responseProblems(path, { method, status }, body) {
      const place = [...operationOf(path, method), 'responses', String(status)];
      return at(place) ? problems(bodySchema(place), body) : [`${status} is not an answer of ${path}`];
    },
    headerProblems(path, method, headers) {
      const operation = operationOf(path, method);
      // Parameters stand at the operation, or at the path for all its operations.
      const places = [operation, operation.slice(0, -1)].map((place) => [...place, 'parameters']);
      const all = places.flatMap((place) => Object.keys(at(place) ?? {}).map((index) => [...place, index]));
      return all.flatMap((place) => {
        const parameter = resolve(place);
        const value = headers[String(at([...parameter, 'name'])).toLowerCase()];
        if (String(at([...parameter, 'in'])) !== 'header' || value === undefined) return [];
        return problems([...parameter, 'schema'], value);
      });
    },
    callbackProblems(path, callback, body) {
      const place = [...operationOf(path, 'post'), 'callbacks', callback];
      const [address = ''] = Object.keys(at(place));
      return problems(bodySchema([...place, address, 'put', 'requestBody']), body);
    },
  };
}

/** OpenAPI 3.0 writes exclusive limits as JSON Schema draft 4 did. */
function modernise(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  const schema = node as Record<string, unknown>;
  for (const [exclusive, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue;
    if (schema[exclusive]) {
      schema[exclusive] = schema[limit];
      delete schema[limit];
    } else {
      delete schema[exclusive];
    }
  }
  for (const child of Object.values(schema)) modernise(child);
}
