import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import packageJson from '../../../package.json' with { type: 'json' };
import type { MerchantLine } from '../../../src/api/kit/call.ts';
import { openApiText } from '../../../src/api/reference/openapi.ts';
import { calls } from '../../../src/api/routes.ts';
import { merchantHttpStatusOf } from '../../../src/domain/errors.ts';
import { callbackEventNames } from '../../../src/domain/event.ts';
import { document, resolve, strict } from '../../support/contract.ts';
import { pick } from '../../support/pick.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, looked into by path
type Json = any;

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(strict(document), 'document');

function assertValid(schema: Json, value: unknown, where: string) {
  const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
  const validate = ajv.compile(JSON.parse(text));
  assert.ok(validate(value), `${where}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(value)}`);
}

function operations(): { at: string; method: string; operation: Json }[] {
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({ at: `${method} ${path}`, method, operation })),
  );
}

function everyNode(node: Json, visit: (node: Json, path: string) => void, path = ''): void {
  if (typeof node !== 'object' || node === null) return;
  visit(node, path);
  for (const [key, value] of Object.entries(node))
    if (key !== 'example' && key !== 'examples') everyNode(value, visit, `${path}/${key}`);
}

describe('the OpenAPI document', () => {
  it('is the committed file', async () => {
    const committed = await readFile(new URL('../../../openapi.json', import.meta.url), 'utf8');
    assert.equal(committed, openApiText(calls), 'run npm run openapi');
  });

  for (const file of ['openapi.json', 'operator-openapi.json'])
    it(`${file} names its shapes: no name ends in a digit, and what stands there three times has a name`, async () => {
      const its = JSON.parse(await readFile(new URL(`../../../${file}`, import.meta.url), 'utf8'));
      const numbered = Object.keys(its.components.schemas).filter((name) => /\d$/.test(name));
      const shapes: string[] = [];
      everyNode(its, (node) => {
        if (Object.keys(node.properties ?? {}).length >= 2) shapes.push(JSON.stringify(node));
      });
      const often = shapes.filter((shape) => shapes.filter((one) => one === shape).length > 2);
      assert.deepEqual([numbered, often], [[], []]);
    });

  it('shows every line of the table of routes under an operationId of its own', () => {
    const lines = Object.values<MerchantLine>(calls).flatMap((endpoint) =>
      endpoint.paths.map((path) => `${endpoint.method.toLowerCase()} /${path}`),
    );
    assert.deepEqual(
      operations()
        .map(({ at }) => at)
        .sort(),
      lines.sort(),
    );
    const ids = operations().map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(pick(document.servers, 'url'), ['/api/v1', '/v1', '/v1/api', '/api']);
  });

  it('has only references that lead somewhere', () => {
    everyNode(document, (node, path) => {
      if (typeof node.$ref === 'string') assert.ok(resolve(node), `${path}: ${node.$ref}`);
    });
    const ids = operations().map(({ operation }) => operation.operationId);
    for (const { at, operation } of operations()) {
      for (const link of Object.values<Json>(operation.responses[200].links ?? {}))
        assert.ok(ids.includes(link.operationId), `${at} links to ${link.operationId}`);
    }
  });

  it('uses only words that makers of clients in other languages understand', () => {
    everyNode({ paths: document.paths, components: document.components }, (node, path) => {
      assert.notEqual(node.type, 'null', `${path}: null stands among the types`);
      if (node.type === 'boolean') assert.ok(!('const' in node), `${path}: a boolean is not constant`);
      if (Array.isArray(node.type))
        assert.ok(!node.type.includes('array'), `${path}: an array is a type alone`);
      if (node.type === 'array') assert.ok(node.items, `${path}: an array says of what`);
    });
    for (const webhook of Object.values<Json>(document.webhooks)) assert.ok(webhook.$ref);
  });

  it('says which page is shown when none is asked for', () => {
    const { parameters } = document.paths['/transactions'].get;
    const defaultOf = (name: string) =>
      parameters.find((parameter: Json) => parameter.name === name).schema.default;
    assert.deepEqual([defaultOf('page'), defaultOf('per_page')], [1, 20]);
  });

  it('lets answers gain members, so that clients do not break with a release', () => {
    everyNode(document, (node, path) => assert.notEqual(node.additionalProperties, false, path));
  });

  it('has the version of the package', () => assert.equal(document.info.version, packageJson.version));

  it('has bodies and answers that fit their schemas as examples of every operation', () => {
    for (const { at, operation } of operations()) {
      const contents = { body: operation.requestBody, ...operation.responses };
      for (const [what, holder] of Object.entries<Json>(contents)) {
        if (holder === undefined) continue;
        const { schema, examples } = holder.content['application/json'];
        assert.ok(Object.keys(examples ?? {}).length > 0, `${at} ${what} has an example`);
        for (const [name, example] of Object.entries<Json>(examples))
          assertValid(schema, resolve(example).value, `${at} ${what} ${name}`);
      }
      for (const parameter of operation.parameters) {
        for (const value of [parameter.example, parameter.schema.example])
          if (value !== undefined) assertValid(parameter.schema, value, `${at} ${parameter.name}`);
      }
    }
    everyNode(document.components.schemas, (node, path) => {
      if (node.example !== undefined) assertValid(node, node.example, path);
    });
  });

  it('has bodies that fit their schemas as examples of every callback', () => {
    assert.deepEqual(Object.keys(document.webhooks), [...callbackEventNames]);
    for (const [event, webhook] of Object.entries<Json>(document.webhooks)) {
      const { post } = resolve(webhook);
      const { schema, examples } = post.requestBody.content['application/json'];
      for (const [name, example] of Object.entries<Json>(examples)) {
        assertValid(schema, example.value, `${event} ${name}`);
        assert.equal(example.value.event, event);
      }
    }
  });

  it('says with every status which codes it carries, and what else can be met everywhere', () => {
    for (const { at, operation } of operations()) {
      const codes: string[] = [];
      for (const [status, response] of Object.entries<Json>(operation.responses)) {
        if (status === '200') continue;
        const told: string[] = response.content['application/json'].schema.properties.code.enum;
        for (const code of told) {
          assert.equal(
            merchantHttpStatusOf[code as keyof typeof merchantHttpStatusOf],
            Number(status),
            `${at}: ${code}`,
          );
        }
        codes.push(...told);
      }
      for (const code of ['method_not_allowed', 'internal_error', 'unavailable'])
        assert.ok(codes.includes(code), `${at} can answer ${code}`);
      const isOpen = operation.security?.length === 0;
      assert.equal(codes.includes('unauthorized'), !isOpen, at);
      assert.equal(codes.includes('forbidden'), !isOpen, at);
    }
    const met = new Set(
      operations().flatMap(({ operation }) =>
        Object.values<Json>(operation.responses).flatMap(
          (response) => response.content['application/json'].schema.properties?.code?.enum ?? [],
        ),
      ),
    );
    assert.ok(met.size > 10);
  });
});
