import { fieldDescriptions } from './descriptions/fields.ts';
import { operationDescriptions } from './descriptions/operations.ts';
import { parameterDescriptions } from './descriptions/parameters.ts';
import type { Json } from './openapi-schema.ts';

export const descriptions = {
  fields: fieldDescriptions,
  operations: operationDescriptions,
  parameters: parameterDescriptions,
};

type Parameter = Json & { name: string; schema: Json };
type Operation = Json & { operationId: string; parameters: Parameter[] };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
};

/**
 * Writes into a document what its fields, parameters and operations are, where they do not say so themselves. Returns
 * the names of the descriptions that were used: a test finds the others.
 */
export function describe(document: Document): Set<string> {
  const used = new Set<string>();
  const take = (table: keyof typeof descriptions, names: string[]): string | undefined => {
    const name = names.find((candidate) => Object.hasOwn(descriptions[table], candidate));
    if (name !== undefined) used.add(`${table} ${name}`);
    return name && descriptions[table][name];
  };

  function describeFields(schema: unknown, path: string[]): void {
    if (typeof schema !== 'object' || schema === null) return;
    const { properties, items, anyOf } = schema as Record<string, unknown>;
    for (const [name, property] of Object.entries((properties ?? {}) as Record<string, Json>)) {
      const at = [...path, name];
      // The longest name first: `PaymentReceivedEvent.amount.fee`, `amount.fee`, `fee`.
      const names = at.map((_, from) => at.slice(from).join('.'));
      property.description ??= take('fields', names);
      describeFields(property, at);
    }
    describeFields(items, path);
    if (Array.isArray(anyOf)) for (const choice of anyOf) describeFields(choice, path);
  }

  for (const [name, schema] of Object.entries(document.components.schemas)) describeFields(schema, [name]);
  for (const operation of Object.values(document.paths).flatMap(Object.values<Operation>)) {
    const { operationId } = operation;
    const purpose = take('operations', [operationId]);
    operation.description = [purpose, operation.description].filter(Boolean).join('\n\n');
    for (const parameter of operation.parameters) {
      parameter.description ??=
        parameter.schema.description ??
        take('parameters', [`${operationId}.${parameter.name}`, parameter.name]);
    }
  }
  return used;
}
