import { z } from 'zod';
import { type ErrorCode, httpStatusOf } from '../../domain/errors.ts';
import { describeFields } from '../../platform/http/describe-fields.ts';
import type { Shape } from '../../platform/http/fields.ts';
import {
  asExamples,
  type HeaderName,
  headers,
  json,
  pascalCase,
  pathsOf,
  type Side,
} from '../../platform/http/openapi.ts';
import { createSchemas, type Json, type Schemas } from '../../platform/http/openapi-schema.ts';
import type { Actions } from '../actions/actions.ts';
import type { OperatorLine } from './call.ts';
import { fieldDescriptions, parameterDescriptions } from './descriptions.ts';

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
  docs: z.string().optional().meta({
    description: "Of a code that merchants meet too: its place in their reference, on the merchants' port",
  }),
  request_id: z.string(),
  errors: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
  retryable: z.boolean(),
});

/** Writes the OpenAPI 3.1 text of the calls and proposals, committed as operator-openapi.json. */
export function operatorOpenApiText(calls: Record<string, OperatorLine>, actions: Actions): string {
  const schemas = createSchemas();
  const document = {
    openapi: '3.1.0',
    info: { title: 'Malipo: operators', version: '1.0.0', description: DESCRIPTION },
    servers: [{ url: '/operator/v1' }],
    security: [{ token: [] }],
    paths: pathsOf(calls, sideOf(schemas, actions)),
    components: {
      schemas: schemas.components(),
      headers: Object.fromEntries(sent.map((name) => [name, headers[name]])),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: "An operator's token, `op_…`" },
      },
    },
  };
  describe(document);
  return `${JSON.stringify(document, null, 2)}\n`;
}

type Parameter = Json & { name: string; schema: Json };
type Operation = { parameters: Parameter[] };

function describe(document: { paths: Record<string, Json>; components: { schemas: Record<string, Json> } }) {
  describeFields(document.components.schemas, (names) => {
    const name = names.find((candidate) => Object.hasOwn(fieldDescriptions, candidate));
    return name && fieldDescriptions[name];
  });
  const operations = Object.values(document.paths as Record<string, Record<string, Operation>>);
  for (const { parameters } of operations.flatMap((path) => Object.values(path)))
    for (const parameter of parameters)
      parameter.description ??= parameter.schema.description ?? parameterDescriptions[parameter.name];
}

const sent = [
  'X-Request-Id',
  'Cache-Control',
  'Content-Language',
  'WWW-Authenticate',
  'Allow',
  'Retry-After',
] as const satisfies HeaderName[];

function sideOf(schemas: Schemas, actions: Actions): Side<OperatorLine> {
  return {
    schemas,
    errorAnswer,
    operation: ({ roles }) => ({ description: `Needs the role ${roles.join(' or ')}.` }),
    parameters: ({ id }) =>
      id === undefined
        ? []
        : [{ name: 'id', in: 'path', required: true, description: id, schema: { type: 'string' } }],
    // A query parameter that no call knows is refused, also where a call takes none.
    codes: () => ['unauthorized', 'forbidden', 'rate_limited', 'validation_failed'],
    headers: () => [],
    examples: () => ({}),
    errorExamples: () => ({}),
    content: ({ proposes, bytesMax, body = {} }) =>
      bytesMax !== undefined
        ? {
            'application/octet-stream': { schema: { type: 'string', format: 'binary', maxLength: bytesMax } },
          }
        : proposes
          ? json(proposalOf(body, actions, schemas), asExamples(examplesOf(actions)))
          : null,
  };
}

const examplesOf = (actions: Actions) =>
  Object.fromEntries(
    Object.entries(actions).map(
      ([
        action,
        {
          example: [reason, payload],
        },
      ]) => [action, { action, payload, reason }],
    ),
  );

/** One body for each action, told apart by its name: the schema that reads its payload says what it takes. */
function proposalOf(shape: Shape, actions: Actions, schemas: Schemas): Json {
  const mapping = Object.entries(actions).map(([name, { role, payload, title }]) => {
    const body = z
      .strictObject({ ...shape, action: z.literal(name), payload })
      .meta({ description: `${title}. To propose and to approve it needs the role ${role}.` });
    return [name, schemas.sent(`Propose${pascalCase(name)}`, body).$ref] as const;
  });
  return {
    oneOf: mapping.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'action', mapping: Object.fromEntries(mapping) },
  };
}
