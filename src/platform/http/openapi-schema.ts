import { z } from 'zod';

export type Json = Record<string, unknown>;

/** Makes JSON Schemas. A schema that is used twice or has an `id` becomes a named component. */
export function createSchemas() {
  const components: Record<string, Json> = {};
  const names = new Map<z.ZodType, string>();

  function convert(schema: z.ZodType, io: 'input' | 'output'): Json {
    const {
      $schema: _,
      $defs,
      ...json
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      // zod drops the default of a value that is parsed from text, but the document needs it.
      override({ zodSchema, jsonSchema }) {
        const { default: fallback } = z.globalRegistry.get(zodSchema) ?? {};
        if (fallback !== undefined) jsonSchema.default = fallback;
        // `title` and `face` are for forms. The document has neither: a title becomes the description.
        if (jsonSchema.title !== undefined) jsonSchema.description ??= jsonSchema.title;
        delete jsonSchema.title;
        delete jsonSchema.face;
      },
    }) as Json;
    for (const [name, definition] of Object.entries($defs ?? {})) {
      const { id: _id, ...component } = definition as Json;
      components[name] = forReaders(component) as Json;
    }
    return forReaders(json) as Json;
  }

  function named(name: string, schema: z.ZodType, make: () => Json): Json {
    const known = names.get(schema) ?? name;
    if (!names.has(schema)) {
      names.set(schema, known);
      components[known] = make();
    }
    return { $ref: `#/components/schemas/${known}` };
  }

  return {
    components: () => Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
    parameter: (schema: z.ZodType): Json => convert(schema, 'input'),
    answer: (name: string, schema: z.ZodType): Json => named(name, schema, () => convert(schema, 'output')),
    /** Describes a value as sent: a null here does not mean an omitted member. */
    sent: (name: string, schema: z.ZodType): Json => named(name, schema, () => convert(schema, 'input')),
    body: (name: string, shape: Record<string, z.ZodType>): Json => {
      const schema = z.object(shape);
      return named(name, schema, () => nullIsAbsent(convert(schema, 'input')) as Json);
    },
  };
}

export type Schemas = ReturnType<typeof createSchemas>;

/**
 * Points references to the components and helps client generators: null among the types, no pattern beside a
 * format, no constant boolean (Java cannot compile it).
 */
function forReaders(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(forReaders);
  if (typeof node !== 'object' || node === null) return node;
  const json: Json = Object.fromEntries(
    Object.entries(node).map(([key, value]) =>
      key === '$ref' && typeof value === 'string'
        ? [key, value.replace('#/$defs/', '#/components/schemas/')]
        : [key, forReaders(value)],
    ),
  );
  if (json.format === 'uuid' || json.format === 'date-time') delete json.pattern;
  if (json.type === 'boolean') delete json.const;
  const { anyOf, ...rest } = json;
  const [choice, nothing, ...more] = Array.isArray(anyOf) ? (anyOf as Json[]) : [];
  const isNullable = nothing?.type === 'null' && more.length === 0 && typeof choice?.type === 'string';
  return isNullable ? { ...orNull(choice), ...rest } : json;
}

/** A null in a body means an omitted optional field, in nested objects too. */
function nullIsAbsent(schema: Json): Json {
  const properties = schema.properties as Record<string, Json> | undefined;
  if (!properties) return schema;
  const required = (schema.required ?? []) as string[];
  const changed = Object.entries(properties).map(([name, property]) => [
    name,
    // Client generators fail on a type list with an array, so null is accepted there but not documented.
    required.includes(name) || property.type === 'array'
      ? nullIsAbsent(property)
      : orNull(nullIsAbsent(property)),
  ]);
  return { ...schema, properties: Object.fromEntries(changed) };
}

function orNull(schema: Json): Json {
  if (typeof schema.type === 'string') {
    const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
    return { ...schema, type: [schema.type, 'null'], ...values };
  }
  if (Array.isArray(schema.type) && schema.type.includes('null')) return schema;
  if (Array.isArray(schema.anyOf)) {
    const has = schema.anyOf.some((choice) => choice.type === 'null');
    return has ? schema : { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] };
  }
  return { anyOf: [schema, { type: 'null' }] };
}
