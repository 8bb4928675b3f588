import { z } from 'zod';
import { type ErrorCode, httpStatusOf } from '../../domain/errors.ts';
import { languages } from '../../domain/language.ts';
import { TABLE_TYPES } from './body.ts';
import type { Line } from './call.ts';
import type { Json, Schemas } from './openapi-schema.ts';

const text = { type: 'string' };
const seconds = { type: 'integer', minimum: 0 };

/** `required` headers are on every response that has them. */
export const headers = {
  'X-Request-Id': {
    description: "The caller's own id if we could keep it, else ours; quote it to support",
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,64}$' },
  },
  'Cache-Control': {
    description: '`no-store`: do not store the answer; `no-cache`: ask again before you use a stored one',
    required: true,
    schema: { enum: ['no-store', 'no-cache'] },
  },
  ETag: { description: 'The version of this answer, for If-None-Match', schema: text },
  Vary: { description: 'The request headers on which the answer depends', schema: text },
  'Content-Encoding': {
    description: 'The body is compressed, because the request accepts it',
    schema: { const: 'gzip' },
  },
  'Content-Language': {
    description: 'The language of the sentences for people (Accept-Language)',
    required: true,
    schema: { enum: [...languages] },
  },
  'X-Ignored-Fields': {
    description: 'Unknown fields of the body: dotted names, percent-encoded, at most 20',
    schema: { type: 'string', minLength: 1 },
  },
  'Idempotent-Replayed': {
    description: 'This is the first answer to the Idempotency-Key, repeated byte for byte',
    schema: { const: 'true' },
  },
  'Content-Disposition': { description: 'The file name, if the answer is CSV', schema: text },
  'Retry-After': { description: 'Seconds to wait before trying again', required: true, schema: seconds },
  RateLimit: {
    description: 'If requests are limited: r more are admitted now, and at least one more after t seconds',
    schema: text,
  },
  'RateLimit-Policy': {
    description: 'If requests are limited: q may come at once, and are available again after w seconds',
    schema: text,
  },
  Allow: { description: 'The methods of this address', required: true, schema: text },
  'WWW-Authenticate': {
    description: 'How to prove who you are',
    required: true,
    schema: { const: 'Bearer' },
  },
} satisfies Record<string, Json>;

export type HeaderName = keyof typeof headers;

const everywhere: HeaderName[] = ['X-Request-Id', 'Cache-Control', 'Content-Language'];
const ofStatus: Record<number, HeaderName[]> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};
/** One API's own part of a document. All else follows from the table of calls. */
export type Side<L extends Line> = {
  schemas: Schemas;
  errorAnswer: z.ZodType;
  /** an operation's tags, description and callers */
  operation(line: L): Json;
  /** parameters in the path and headers; the line implies those in the query */
  parameters(line: L): Json[];
  codes(line: L): ErrorCode[];
  headers(line: L, status: number): HeaderName[];
  examples(name: string): { body?: Record<string, unknown>; answer?: Record<string, unknown> };
  errorExamples(codes: ErrorCode[]): Json;
  /** only if the request differs from the line's fields */
  content?(line: L): Json | null;
  /** members of response 200 that not every line has */
  response?(name: string, line: L): { content?: Json; links?: Json };
};

/** Makes the `paths` of a table of calls. Each further path of a call is an operation of its own. */
export function pathsOf<L extends Line>(calls: Record<string, L>, side: Side<L>): Record<string, Json> {
  const paths: Record<string, Json> = {};
  for (const [name, line] of Object.entries(calls)) {
    const names = [[name, {}] as const, ...Object.entries(line.otherNames ?? {})];
    line.paths.forEach((path, index) => {
      const [operationId, own] = names[index] ?? [`${name}${index + 1}`, {}];
      const operation = { operationId, ...operationOf(name, { ...line, ...own }, side) };
      paths[`/${path}`] = { ...paths[`/${path}`], [line.method.toLowerCase()]: operation };
    });
  }
  return paths;
}

export function pascalCase(name: string): string {
  return name
    .split(/[.-]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

function operationOf<L extends Line>(name: string, line: L, side: Side<L>): Json {
  const { schemas } = side;
  const content =
    side.content?.(line) ??
    (line.body && {
      ...json(schemas.body(`${pascalCase(name)}Request`, line.body), asExamples(side.examples(name).body)),
      ...(line.takesCsv
        ? Object.fromEntries(TABLE_TYPES.map((type) => [type, { schema: { type: 'string' } }]))
        : {}),
    });
  return {
    summary: line.summary,
    ...side.operation(line),
    parameters: [...side.parameters(line), ...queryOf(line, schemas)],
    ...(content ? { requestBody: { required: true, content } } : {}),
    responses: responsesOf(name, line, side),
  };
}

function queryOf(line: Line, schemas: Schemas): Json[] {
  return Object.entries(line.query ?? {}).map(([name, schema]) => {
    const isMap = schema instanceof z.ZodOptional && schema.unwrap() instanceof z.ZodRecord;
    const { description, ...shape } = schemas.parameter(schema);
    return {
      name,
      in: 'query',
      required: false,
      description,
      ...(isMap ? { style: 'deepObject', explode: true } : {}),
      schema: shape,
    };
  });
}

/** Returns response 200 and every refusal of a call, with the codes that each status can carry. */
function responsesOf<L extends Line>(name: string, line: L, side: Side<L>): Json {
  const { schemas } = side;
  const answer = schemas.answer(`${pascalCase(name)}Answer`, line.answer);
  const { content, ...more } = side.response?.(name, line) ?? {};
  const responses: Json = {
    200: {
      description: line.summary,
      headers: headersOf(line, 200, side),
      content: { ...json(answer, asExamples(side.examples(name).answer)), ...content },
      ...more,
    },
  };
  const error = schemas.answer('ErrorAnswer', side.errorAnswer);
  for (const [status, codes] of byStatus(codesOf(line, side)))
    responses[status] = {
      description: codes.join(', '),
      headers: headersOf(line, status, side),
      content: json({ ...error, properties: { code: { enum: codes } } }, side.errorExamples(codes)),
    };
  return responses;
}

function codesOf<L extends Line>(line: L, side: Side<L>): ErrorCode[] {
  const codes: ErrorCode[] = ['method_not_allowed', 'internal_error', 'unavailable'];
  if (line.paths[0].includes('{')) codes.push('not_found');
  if (line.body) codes.push('unsupported_media_type', 'payload_too_large', 'invalid_json', 'too_many_values');
  if (line.body || line.query) codes.push('validation_failed');
  return [...new Set([...codes, ...side.codes(line), ...(line.refusals ?? [])])];
}

function byStatus(codes: ErrorCode[]): [number, ErrorCode[]][] {
  const statuses = [...new Set(codes.map((code) => httpStatusOf[code]))].sort((a, b) => a - b);
  return statuses.map((status) => [status, codes.filter((code) => httpStatusOf[code] === status)]);
}

function headersOf<L extends Line>(line: L, status: number, side: Side<L>): Json {
  const names = [...everywhere, ...(ofStatus[status] ?? []), ...side.headers(line, status)];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export function asExamples(examples: Record<string, unknown> = {}): Json {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}

export function json(schema: Json, examples: Json): Json {
  return { 'application/json': { schema, examples } };
}
