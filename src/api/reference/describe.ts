import { describeFields } from '../../platform/http/describe-fields.ts';
import type { Json } from '../../platform/http/openapi-schema.ts';
import { fieldDescriptions } from './descriptions/fields.ts';
import { operationDescriptions } from './descriptions/operations.ts';
import { parameterDescriptions } from './descriptions/parameters.ts';

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

/** Describes each field whose schema does not. Returns the names that it used: a test finds the others. */
export function describe(document: Document): Set<string> {
  const used = new Set<string>();
  const take = (table: keyof typeof descriptions, names: string[]): string | undefined => {
    const name = names.find((candidate) => Object.hasOwn(descriptions[table], candidate));
    if (name !== undefined) used.add(`${table} ${name}`);
    return name && descriptions[table][name];
  };

  describeFields(document.components.schemas, (names) => take('fields', names));
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
