import { z } from 'zod';
import type { Shape } from '../api/http/fields.ts';
import { headers as allHeaders, asExamples, json } from '../api/reference/openapi-responses.ts';
import { createSchemas, type Json, type Schemas } from '../api/reference/openapi-schema.ts';
import { type ErrorCode, httpStatusOf } from '../domain/errors.ts';
import type { Actions } from '../operators/proposals/actions.ts';
import type { Call } from './call.ts';
import { proposalExamples } from './proposal-examples.ts';

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

/**
 * The OpenAPI 3.1 document of the table of calls, as text, with what each action of a proposal takes. The committed
 * operator-openapi.json is this text.
 */
export function operatorOpenApiText(calls: Record<string, Call>, actions: Actions): string {
  const schemas = createSchemas();
  const paths: Record<string, Json> = {};
  for (const [name, call] of Object.entries(calls)) {
    const path = `/${call.path}`;
    paths[path] = {
      ...paths[path],
      [call.method.toLowerCase()]: operationOf(name, call, { schemas, actions }),
    };
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

function operationOf(
  name: string,
  call: Call,
  { schemas, actions }: { schemas: Schemas; actions: Actions },
): Json {
  const component = pascalCase(name);
  const content = call.proposes
    ? json(proposalOf(call.body ?? {}, actions, schemas), asExamples(proposalExamples))
    : call.body && json(schemas.body(`${component}Request`, call.body), asExamples({}));
  return {
    operationId: name,
    summary: call.summary,
    description: `Needs the role ${call.roles.join(' or ')}.`,
    parameters: parametersOf(call, schemas),
    ...(content ? { requestBody: { required: true, content } } : {}),
    responses: responsesOf(component, call, schemas),
  };
}

/** One body for each action, told apart by its name: the schema that reads its payload says what it takes. */
function proposalOf(shape: Shape, actions: Actions, schemas: Schemas): Json {
  const mapping = Object.entries(actions).map(([name, { role, payload }]) => {
    const body = z
      .strictObject({ ...shape, action: z.literal(name), payload })
      .meta({ description: `To propose and to approve it needs the role ${role}.` });
    return [name, schemas.sent(`Propose${pascalCase(name)}`, body).$ref] as const;
  });
  return {
    oneOf: mapping.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'action', mapping: Object.fromEntries(mapping) },
  };
}

/** `accounts.top-up` becomes `AccountsTopUp`. */
function pascalCase(name: string): string {
  return name
    .split(/[.-]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
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
