import assert from 'node:assert/strict';
import { document, resolve } from '../../support/contract.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, looked into by path
type Json = any;

const operations: Json[] = Object.values<Json>(document.paths).flatMap((item) => Object.values<Json>(item));
/** What callbacks carry, and everything that answers and requests have. */
const schemas: [string, Json][] = Object.entries<Json>(document.components.schemas);

function undescribed(schema: Json, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = Object.entries<Json>(schema.properties ?? {}).flatMap(([name, property]) => [
    ...((property.description ?? resolve(property).description) ? [] : [`${path}.${name}`]),
    ...undescribed(property, `${path}.${name}`),
  ]);
  const inner = [schema.items, ...(schema.anyOf ?? [])].flatMap((node) => undescribed(node, path));
  return [...own, ...inner];
}

describe('the words of the reference', () => {
  it('say of every field what it is', () => {
    assert.deepEqual(
      schemas.flatMap(([name, schema]) => undescribed(schema, name)),
      [],
    );
  });

  it('say of every parameter and of every header what it is', () => {
    const wanting = operations.flatMap(({ operationId, parameters }) =>
      parameters
        .filter(({ description }: Json) => !description)
        .map(({ name }: Json) => `${operationId} ${name}`),
    );
    assert.deepEqual(wanting, []);
    for (const [name, header] of Object.entries<Json>(document.components.headers))
      assert.ok(header.description, name);
  });

  it('say in two sentences what every operation is for', () => {
    for (const { operationId, description } of operations) {
      const [purpose = ''] = description.split('\n\n');
      const sentences = purpose.match(/[^.]\.(?= [A-Z`]|$)/g) ?? [];
      assert.equal(sentences.length, 2, `${operationId}: ${purpose}`);
    }
  });
});
