import assert from 'node:assert/strict';
import { calls } from '../../../src/operators/api/calls.ts';
import { operatorOpenApiText } from '../../../src/operators/api/openapi.ts';
import { actions } from '../../support/actions.ts';
import { document } from '../../support/contract.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, looked into by path
type Json = any;

const documents: Json[] = [document, JSON.parse(operatorOpenApiText(calls, actions))];
const operationsOf = ({ paths }: Json): Json[] =>
  Object.values<Json>(paths).flatMap((item) => Object.values<Json>(item));

function undescribed(schemas: Json, schema: Json, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = Object.entries<Json>(schema.properties ?? {}).flatMap(([name, property]) => [
    ...((property.description ?? schemas[property.$ref?.split('/').at(-1)]?.description)
      ? []
      : [`${path}.${name}`]),
    ...undescribed(schemas, property, `${path}.${name}`),
  ]);
  const inner = [schema.items, ...(schema.anyOf ?? [])].flatMap((node) => undescribed(schemas, node, path));
  return [...own, ...inner];
}

describe('the words of the references', () => {
  it('say of every field what it is', () => {
    for (const { components } of documents)
      assert.deepEqual(
        Object.entries<Json>(components.schemas).flatMap(([name, schema]) =>
          undescribed(components.schemas, schema, name),
        ),
        [],
      );
  });

  it('say of every parameter and of every header what it is', () => {
    const wanting = documents
      .flatMap(operationsOf)
      .flatMap(({ operationId, parameters }) =>
        parameters
          .filter(({ description }: Json) => !description)
          .map(({ name }: Json) => `${operationId} ${name}`),
      );
    assert.deepEqual(wanting, []);
    for (const { components } of documents)
      for (const [name, header] of Object.entries<Json>(components.headers))
        assert.ok(header.description, name);
  });

  it('say in two sentences what every operation is for', () => {
    for (const { operationId, description } of operationsOf(document)) {
      const [purpose = ''] = description.split('\n\n');
      const sentences = purpose.match(/[^.]\.(?= [A-Z`]|$)/g) ?? [];
      assert.equal(sentences.length, 2, `${operationId}: ${purpose}`);
    }
  });
});
