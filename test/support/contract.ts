import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { prefixes } from '../../src/api/kit/app.ts';
import { openApiText } from '../../src/api/reference/openapi.ts';
import { calls } from '../../src/api/routes.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, looked into by path
type Json = any;

type SeenAnswer = {
  status: number;
  /** names in lower case */
  headers: Record<string, string | string[] | undefined>;
  text: string;
};

/** The OpenAPI document as this code would publish it. */
export const document: Json = JSON.parse(openApiText(calls));

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(strict(document), 'document');
const validators = new Map<string, ValidateFunction>();

/** The document says that answers may gain members; here one that it does not describe is a mistake of ours. */
export function strict(published: Json): Json {
  const copy = structuredClone(published);
  const close = (node: Json): void => {
    if (typeof node !== 'object' || node === null) return;
    if (node.properties) node.additionalProperties ??= false;
    for (const [name, inner] of Object.entries(node)) if (name !== 'example') close(inner);
  };
  for (const [name, schema] of Object.entries<Json>(copy.components.schemas)) {
    if (!name.endsWith('Request')) close(schema);
  }
  return copy;
}

/** Headers of HTTP itself, which the document does not list. */
const OF_HTTP = ['content-type', 'content-length', 'transfer-encoding', 'date', 'connection', 'keep-alive'];

const templates = Object.keys(document.paths)
  .map((template) => ({
    template,
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}/?$`),
  }))
  // As the router does it: a fixed path comes before one with an id.
  .sort((a, b) => Number(a.template.includes('{')) - Number(b.template.includes('{')));

/** operationId and status of every answer that was checked in this process. */
export const answersSeen = new Set<string>();

/**
 * Holds an answer against the document: its status is one of the operation, every member of its body and every header
 * is described, what is promised is there. Answers from addresses that are not of the API are left alone.
 */
export function assertAsDocumented(method: string, url: string, answer: SeenAnswer): void {
  const inner = innerPathOf(url);
  if (inner === null) return;
  const where = `${method} ${inner} ${answer.status}`;
  const found = templates.find(({ pattern }) => pattern.test(inner));
  const operation = found && document.paths[found.template][method === 'HEAD' ? 'get' : method.toLowerCase()];
  if (!operation) {
    assertError(where, answer, found ? 'method_not_allowed' : 'not_found');
    return;
  }
  const response = operation.responses[answer.status];
  assert.ok(response, `${where} is not described: ${answer.text.slice(0, 500)}`);
  answersSeen.add(`${operation.operationId} ${answer.status}`);
  assertHeaders(where, answer, response);
  const isCsv = String(answer.headers['content-type']).startsWith('text/csv');
  if (method !== 'HEAD' && !isCsv) {
    const pointer = ['paths', found.template, method.toLowerCase(), 'responses', String(answer.status)];
    assertValid(where, [...pointer, 'content', 'application/json', 'schema'], answer.text);
    // The document says only that it is a boolean, or Java could not compile a client.
    if (found.template !== '/openapi.json')
      assert.equal(JSON.parse(answer.text).success, answer.status === 200, `${where}: success`);
  }
}

/** Below the longest prefix that fits: `/v1/api/balance` is `/balance`, not `/api/balance`. */
function innerPathOf(url: string): string | null {
  // Taken apart by hand: URL would resolve the dots and the double slashes that some tests send.
  const pathname = url.replace(/^https?:\/\/[^/]+/, '').replace(/[?#].*$/s, '');
  if (pathname.includes('%')) return null;
  const prefix = prefixes
    .filter((candidate) => pathname.startsWith(`${candidate}/`))
    .sort((a, b) => b.length - a.length)[0];
  return prefix === undefined ? null : pathname.slice(prefix.length);
}

/** At an address or with a method that the document does not have. */
function assertError(where: string, answer: SeenAnswer, code: string): void {
  const { responses } = document.paths['/payments/{id}'].get;
  assert.ok(responses[answer.status], `${where} is neither 404 nor 405: ${answer.text}`);
  assertHeaders(where, answer, responses[answer.status]);
  if (answer.text === '') return;
  assertValid(where, ['components', 'schemas', 'ErrorAnswer'], answer.text);
  assert.ok([code, 'internal_error'].includes(JSON.parse(answer.text).code), `${where}: ${answer.text}`);
}

function assertValid(where: string, path: string[], text: string): void {
  const pointer = path.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
  const ref = `document#/${pointer.join('/')}`;
  const valid = validators.get(ref) ?? ajv.compile({ $ref: ref });
  validators.set(ref, valid);
  assert.ok(valid(JSON.parse(text)), `${where}: ${ajv.errorsText(valid.errors)}\n${text.slice(0, 2000)}`);
}

function assertHeaders(where: string, answer: SeenAnswer, response: Json): void {
  const declared = new Map<string, Json>();
  for (const [name, node] of Object.entries<Json>(response.headers)) {
    declared.set(name.toLowerCase(), resolve(node));
  }
  const types = ['application/json; charset=utf-8'];
  if (response.content['text/csv']) types.push('text/csv; charset=utf-8; header=present');
  const type = String(answer.headers['content-type']);
  assert.ok(types.includes(type), `${where}: ${type}`);
  for (const name of Object.keys(answer.headers)) {
    if (OF_HTTP.includes(name) || answer.headers[name] === undefined) continue;
    assert.ok(declared.has(name), `${where}: the header ${name} is not described`);
  }
  for (const [name, header] of declared) {
    const value = answer.headers[name];
    if (value === undefined) {
      assert.ok(!header.required, `${where}: the header ${name} is promised`);
      continue;
    }
    const typed = header.schema.type === 'integer' ? Number(value) : value;
    assert.ok(ajv.validate(header.schema, typed), `${where}: the header ${name} is ${value}`);
  }
}

/** Holds the body of a callback against the webhook of its event. */
export function assertCallbackAsDocumented(body: string): void {
  const { event } = JSON.parse(body);
  assert.ok(document.webhooks[event], `the event ${event} is not described`);
  const pointer = ['components', 'pathItems', event, 'post', 'requestBody'];
  const path = [...pointer, 'content', 'application/json', 'schema'];
  assertValid(`callback ${event}`, path, body);
}

/** The node that a reference within the document points to. */
export function resolve(node: Json): Json {
  if (node.$ref === undefined) return node;
  return node.$ref
    .slice(2)
    .split('/')
    .reduce((at: Json, part: string) => at[part], document);
}
