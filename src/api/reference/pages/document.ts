import type { Constant } from '../../../platform/http/constant.ts';

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  example?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
};

export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  example?: unknown;
  schema: Schema;
};

type Content = Record<string, { schema: Schema; examples?: Record<string, { value?: unknown }> }>;

export type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  tags?: string[];
  parameters: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
};

export type OpenApi = {
  info: { version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    examples: Record<string, { value: { message: string } }>;
    pathItems: Record<string, { post: Operation }>;
  };
};

export type Located = Operation & { path: string; method: string };

export function parseDocument({ bytes }: Constant): OpenApi {
  return JSON.parse(bytes.toString('utf8'));
}

export function operationsOf(document: OpenApi, tag?: string): Located[] {
  return Object.entries(document.paths)
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ ...operation, path, method })),
    )
    .filter(({ tags }) => tag === undefined || tags?.[0] === tag);
}

/** Leaves out headers that every request may have, which the first page describes. */
export function ownParametersOf({ parameters }: Operation): Parameter[] {
  return parameters.filter(({ in: place, name }) => place !== 'header' || name === 'Idempotency-Key');
}

export function refusalsOf({ responses }: Pick<Operation, 'responses'>): { status: string; code: string }[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { description }]) => description.split(', ').map((code) => ({ status, code })));
}

/** `name` is the path of the field: `data[].amount.value`. */
export type Field = { name: string; schema: Schema; isRequired: boolean };

export function fieldsOf(document: OpenApi, schema: Schema, prefix = ''): Field[] {
  const { properties = {}, required = [], items, anyOf = [] } = resolve(document, schema);
  const own = Object.entries(properties).flatMap(([key, property]) => {
    const { items: inner } = resolve(document, property);
    const name = `${prefix}${key}${inner ? '[]' : ''}`;
    const field = {
      name,
      schema: { ...resolve(document, property), ...property },
      isRequired: required.includes(key),
    };
    return [field, ...fieldsOf(document, property, `${name}.`)];
  });
  const others = [...(items ? [items] : []), ...anyOf].flatMap((inner) => fieldsOf(document, inner, prefix));
  const all = [...own, ...others];
  return all.filter(({ name }, index) => all.findIndex((field) => field.name === name) === index);
}

function resolve(document: OpenApi, schema: Schema): Schema {
  const name = schema.$ref?.split('/').pop();
  return (name === undefined ? undefined : document.components.schemas[name]) ?? schema;
}

export function exampleOf(content: Content | undefined): unknown {
  return Object.values(content?.['application/json']?.examples ?? {})[0]?.value;
}
