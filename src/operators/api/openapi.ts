import { z } from 'zod';
import { type ErrorCode, httpStatusOf } from '../../domain/errors.ts';
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
import { type Action, type Actions, askersOf } from '../actions/actions.ts';
import * as field from './answer-fields.ts';
import { listOf, whether, written } from './answer-fields.ts';
import type { OperatorLine } from './call.ts';
import examples from './examples.json' with { type: 'json' };

const DESCRIPTION = `The API for operators of Malipo. It listens on the management port, never on the
merchants' port, and accepts operators' tokens, never merchants' keys. Every call is in the audit log.

**Requests.** A body is one JSON object. Unknown members and query parameters are refused.

**Amounts** are strings such as \`5,000.00\` in answers, and whole minor units (1 TZS = 100) in the payload
of a proposal.
**Times** are UTC with microseconds.

**Four eyes.** An action that moves money, gives access or weakens a protection is proposed first. Another
operator with the role approves it by its hash within 24 hours. The approval carries it out, once.`;

/** test/e2e/operator-examples.test.ts recorded these. */
const recorded: Record<string, { body?: Json; answer?: Json }> = examples;

const fieldError = z.strictObject({
  field: written('The field, with a dot between an object and its member'),
  message: written('What is wrong with it, in a sentence for people; it may change'),
});
const errorAnswer = z.strictObject({
  success: z.literal(false).meta({ description: 'Always false: this is an error' }),
  message: written('What is wrong, in a sentence for people; it may change'),
  code: z
    .enum(Object.keys(httpStatusOf) as [ErrorCode, ...ErrorCode[]])
    .meta({ description: 'The code of the error, which never changes: let programs decide by it' }),
  docs: z.string().optional().meta({
    description: "For a code that merchants get too: its place in the reference on the merchants' port",
  }),
  request_id: field.requestId,
  errors: listOf(fieldError, 'One entry for each wrong field').optional(),
  retryable: whether('True: the same request may succeed later'),
});

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
  return `${JSON.stringify(document, null, 2)}\n`;
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
    // Every call can refuse: an unknown query parameter is an error.
    codes: () => ['unauthorized', 'forbidden', 'rate_limited', 'validation_failed'],
    headers: () => [],
    examples: (name) => recorded[name] ?? {},
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

/** One body for each action: the action's own schema describes the payload. */
function proposalOf(shape: Shape, actions: Actions, schemas: Schemas): Json {
  const payloads = new Map<z.ZodType, z.ZodType>();
  // Several actions take the same payload: it is named after the first of them.
  const payloadOf = (name: string, payload: z.ZodType) => {
    const named =
      payloads.get(payload) ?? payload.meta({ ...field.payload, id: `${pascalCase(name)}Payload` });
    payloads.set(payload, named);
    return named;
  };
  const mapping = Object.entries(actions).map(([name, action]) => {
    const body = z
      .strictObject({
        ...shape,
        action: z.literal(name).meta({ description: field.action.description }),
        payload: payloadOf(name, action.payload),
      })
      .meta({ description: `${action.title}. ${rolesFor(action)}` });
    return [name, schemas.sent(`Propose${pascalCase(name)}`, body).$ref] as const;
  });
  return {
    oneOf: mapping.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'action', mapping: Object.fromEntries(mapping) },
  };
}

function rolesFor(action: Action): string {
  const { role, alone } = action;
  const two = `To propose it and to approve it needs the role ${role}.`;
  if (alone === undefined) return two;
  const one = askersOf(action).join(' or ');
  return `One operator with the role ${one} does it at once. If two must agree: ${two}`;
}
