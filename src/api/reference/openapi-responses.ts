import { errorAnswer } from '../../contract/answer-schemas.ts';
import { type ErrorCode, httpStatusOf } from '../../domain/errors.ts';
import { languages } from '../../domain/language.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Json, Schemas } from './openapi-schema.ts';

const text = { type: 'string' };
const seconds = { type: 'integer', minimum: 0 };

/** `required`: on every response that names it. */
export const headers = {
  'X-Request-Id': {
    description: "The caller's own if it was sane, else ours; quote it to support",
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,64}$' },
  },
  'Cache-Control': {
    description: 'Nothing is to be stored; `no-cache`: what was stored is asked for anew each time',
    required: true,
    schema: { enum: ['no-store', 'no-cache'] },
  },
  ETag: { description: 'Of this very answer, for If-None-Match', schema: text },
  Vary: { description: 'What the form of the answer depends on', schema: text },
  'Content-Encoding': { description: 'Compressed, for who takes that', schema: { const: 'gzip' } },
  'Content-Language': {
    description: 'What the sentences for people are written in (Accept-Language)',
    required: true,
    schema: { enum: [...languages] },
  },
  'X-Ignored-Fields': {
    description: 'Fields of the body that are not known here: dotted, percent-encoded, at most 20',
    schema: { type: 'string', minLength: 1 },
  },
  'Idempotent-Replayed': {
    description: 'This is the first answer of the Idempotency-Key again, byte for byte',
    schema: { const: 'true' },
  },
  'Content-Disposition': { description: 'A file name, where the answer is CSV', schema: text },
  'Retry-After': { description: 'Seconds to wait before trying again', required: true, schema: seconds },
  RateLimit: {
    description: 'Where requests are limited: r more are admitted now, and at least one more after t seconds',
    schema: text,
  },
  'RateLimit-Policy': {
    description: 'Where requests are limited: q may come at once, and are available again after w seconds',
    schema: text,
  },
  Allow: { description: 'The methods of this address', required: true, schema: text },
  'WWW-Authenticate': {
    description: 'How to prove who you are',
    required: true,
    schema: { const: 'Bearer' },
  },
} satisfies Record<string, Json>;

type HeaderName = keyof typeof headers;

const everywhere: HeaderName[] = ['X-Request-Id', 'Cache-Control', 'Content-Language'];
const ofStatus: Record<number, HeaderName[]> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};
/** Refusals before the body was read cannot name its fields. */
const bodyWasRead = [200, 400, 404, 409, 422, 429, 500, 503];

/** The 200 and every refusal of an endpoint, with the codes that each status can carry there. */
export function responsesOf(name: string, endpoint: Endpoint, schemas: Schemas): Json {
  const responses: Json = {
    200: {
      description: endpoint.summary,
      headers: headersOf(endpoint, 200),
      content: {
        ...json(schemas.answer(`${name}Answer`, endpoint.answer), asExamples(endpoint.examples.answer)),
        ...(endpoint.csv
          ? { 'text/csv': { schema: { type: 'string' }, examples: asExamples(endpoint.csv) } }
          : {}),
      },
      ...(endpoint.links ? { links: linksOf(endpoint.links) } : {}),
    },
  };
  for (const [status, codes] of byStatus(codesOf(endpoint))) {
    const error = { ...schemas.answer('ErrorAnswer', errorAnswer), properties: { code: { enum: codes } } };
    const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
    responses[status] = {
      description: codes.join(', '),
      headers: headersOf(endpoint, status),
      content: json(error, Object.fromEntries(examples)),
    };
  }
  return responses;
}

/** The refusals of an endpoint: its own codes and those that follow from its line in the table. */
export function codesOf(endpoint: Endpoint): ErrorCode[] {
  const codes: ErrorCode[] = ['method_not_allowed', 'internal_error', 'unavailable'];
  if (endpoint.scopes !== null) codes.push('unauthorized', 'forbidden', 'rate_limited');
  if (endpoint.paths[0].includes('{')) codes.push('not_found');
  if (endpoint.body) {
    codes.push('unsupported_media_type', 'payload_too_large', 'invalid_json', 'validation_failed');
  }
  if (endpoint.query) codes.push('validation_failed');
  if (endpoint.idempotencyKey === 'required') codes.push('idempotency_key_missing');
  if (endpoint.idempotencyKey) {
    codes.push('idempotency_key_invalid', 'idempotency_key_reused', 'outcome_unknown');
  }
  return [...new Set([...codes, ...(endpoint.refusals ?? [])])];
}

function byStatus(codes: ErrorCode[]): [number, ErrorCode[]][] {
  const statuses = [...new Set(codes.map((code) => httpStatusOf[code]))].sort((a, b) => a - b);
  return statuses.map((status) => [status, codes.filter((code) => httpStatusOf[code] === status)]);
}

function headersOf(endpoint: Endpoint, status: number): Json {
  const names: HeaderName[] = [...everywhere, ...(ofStatus[status] ?? [])];
  if (endpoint.body && bodyWasRead.includes(status)) names.push('X-Ignored-Fields');
  if (endpoint.csv && status === 200) names.push('Content-Disposition');
  if (endpoint.isConstant && status === 200) names.push('ETag', 'Vary', 'Content-Encoding');
  if (endpoint.idempotencyKey && [200, 409].includes(status)) names.push('Idempotent-Replayed');
  if (endpoint.scopes !== null && status !== 405) names.push('RateLimit', 'RateLimit-Policy');
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function linksOf({ to, at, parameter = 'id' }: NonNullable<Endpoint['links']>): Json {
  const parameters = { [parameter]: `$response.body#${at}` };
  return Object.fromEntries(to.map((operationId) => [operationId, { operationId, parameters }]));
}

export function asExamples(examples: Record<string, unknown>): Json {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}

export function json(schema: Json, examples: Json): Json {
  return { 'application/json': { schema, examples } };
}
