import { z } from 'zod';
import { headers as allHeaders, asExamples, json } from '../api/reference/openapi-responses.ts';
import { createSchemas, type Json, type Schemas } from '../api/reference/openapi-schema.ts';
import { type ErrorCode, httpStatusOf } from '../domain/errors.ts';
import type { Call } from './call.ts';

const DESCRIPTION = `What operators of Malipo do. It lies on the management port, never on the merchants' port, and takes
operators' tokens, never merchants' keys. Every call is in the audit log.

**Requests.** A body is one JSON object; a member or a query parameter that is not known is refused.

**Amounts** are strings such as \`5,000.00\` in answers, and whole minor units (1 TZS = 100) in the payload of a proposal.
**Times** are UTC with microseconds.

**Four eyes.** What moves money, lets somebody in or lowers a guard is proposed; another operator with the role approves
exactly what has the hash within 24 hours, and in that moment it is carried out, once.`;

const errorAnswer = z.strictObject({
  success: z.literal(false),
  message: z.string(),
  code: z.enum(Object.keys(httpStatusOf) as [ErrorCode, ...ErrorCode[]]),
  request_id: z.string(),
  errors: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
  retryable: z.boolean(),
});

/** The OpenAPI 3.1 document of the table of calls, as text. The committed operator-openapi.json is this text. */
export function operatorOpenApiText(calls: Record<string, Call>): string {
  const schemas = createSchemas();
  const paths: Record<string, Json> = {};
  for (const [name, call] of Object.entries(calls)) {
    const path = `/${call.path}`;
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: operationOf(name, call, schemas) };
  }
  const { 'X-Request-Id': requestId, 'Cache-Control': cacheControl } = allHeaders;
  const document = {
    openapi: '3.1.0',
    info: { title: 'Malipo: operators', version: '1.0.0', description: DESCRIPTION },
    servers: [{ url: '/operator/v1' }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas: schemas.components(),
      headers: { 'X-Request-Id': requestId, 'Cache-Control': cacheControl },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: "An operator's token, `op_…`" },
      },
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function operationOf(name: string, call: Call, schemas: Schemas): Json {
  const component = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const body = call.body && {
    required: true,
    content: json(schemas.body(`${component}Request`, call.body), asExamples({})),
  };
  return {
    operationId: name,
    summary: call.summary,
    description: `Needs the role ${call.roles.join(' or ')}.`,
    parameters: parametersOf(call, schemas),
    ...(body ? { requestBody: body } : {}),
    responses: responsesOf(component, call, schemas),
  };
}

function parametersOf(call: Call, schemas: Schemas): Json[] {
  const inPath = {
    name: 'id',
    in: 'path',
    required: true,
    description: call.id,
    schema: { type: 'string' },
  };
  const inQuery = Object.entries(call.query ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema: schemas.parameter(schema),
  }));
  return call.id === undefined ? inQuery : [inPath, ...inQuery];
}

function responsesOf(component: string, call: Call, schemas: Schemas): Json {
  const headers = Object.fromEntries(
    ['X-Request-Id', 'Cache-Control'].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
  const answer = schemas.answer(`${component}Answer`, call.answer);
  const responses: Json = {
    200: { description: call.summary, headers, content: json(answer, asExamples({})) },
  };
  const error = schemas.answer('ErrorAnswer', errorAnswer);
  for (const [status, codes] of byStatus(codesOf(call)))
    responses[status] = {
      description: codes.join(', '),
      headers,
      content: json({ ...error, properties: { code: { enum: codes } } }, asExamples({})),
    };
  return responses;
}

/** What a call can refuse: its own codes and those that follow from its line in the table. */
function codesOf(call: Call): ErrorCode[] {
  const codes: ErrorCode[] = ['unauthorized', 'forbidden', 'method_not_allowed', 'rate_limited'];
  codes.push('validation_failed', 'internal_error', 'unavailable');
  if (call.id !== undefined) codes.push('not_found');
  if (call.body) codes.push('unsupported_media_type', 'payload_too_large', 'invalid_json');
  return [...new Set([...codes, ...(call.refusals ?? [])])];
}

function byStatus(codes: ErrorCode[]): [number, ErrorCode[]][] {
  const statuses = [...new Set(codes.map((code) => httpStatusOf[code]))].sort((a, b) => a - b);
  return statuses.map((status) => [status, codes.filter((code) => httpStatusOf[code] === status)]);
}
