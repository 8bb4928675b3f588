import assert from 'node:assert/strict';
import { describe as describeDocument, descriptions } from '../../../src/api/reference/describe.ts';
import { document } from '../../support/contract.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, looked into by path
type Json = any;

const operations: Json[] = Object.values<Json>(document.paths).flatMap((item) => Object.values<Json>(item));
/** What callbacks carry, and everything that answers and requests have. */
const schemas: [string, Json][] = Object.entries<Json>(document.components.schemas);

function undescribed(schema: Json, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = Object.entries<Json>(schema.properties ?? {}).flatMap(([name, property]) => [
    ...(property.description ? [] : [`${path}.${name}`]),
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

  it('are all used', () => {
    const bare = structuredClone(document);
    const strip = (node: Json): void => {
      if (typeof node !== 'object' || node === null) return;
      if (typeof node.description === 'string') delete node.description;
      for (const inner of Object.values(node)) strip(inner);
    };
    strip(bare.components.schemas);
    strip(bare.paths);
    const used = describeDocument(bare);
    const all = Object.entries(descriptions).flatMap(([table, words]) =>
      Object.keys(words).map((name) => `${table} ${name}`),
    );
    assert.deepEqual(
      all.filter((name) => !used.has(name)),
      [],
    );
  });
});
