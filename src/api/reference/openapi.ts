import { z } from 'zod';
import { prefixes } from '../http/app.ts';
import { type Constant, constantOf } from '../http/constant.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { describe } from './describe.ts';
import { errorExamples } from './examples/error.ts';
import { readPackageFile } from './files.ts';
import { asExamples, headers, json, responsesOf } from './openapi-responses.ts';
import { createSchemas, type Json, type Schemas } from './openapi-schema.ts';
import { webhooksOf } from './openapi-webhooks.ts';

export const getOpenApi = {
  method: 'GET',
  paths: ['openapi.json'],
  summary: 'This document',
  scopes: null,
  isConstant: true,
  refusals: ['rate_limited'],
  answer: z.record(z.string(), z.unknown()),
  examples: { answer: { document: { openapi: '3.1.0', info: { title: 'Malipo', version: '0.1.0' } } } },
} as const satisfies Endpoint;

const VERSION: string = JSON.parse(readPackageFile('package.json')).version;

const DESCRIPTION = `Payments and payouts for merchants in Tanzania.

Every address answers under every server. Where GET works, HEAD does. A trailing slash makes no difference.

**Requests.** A body is one JSON object of at most 64 KiB, nested at most 8 deep; without a Content-Type it is taken as
JSON. Fields that are not known are ignored and named in \`X-Ignored-Fields\`; null for an optional field means that it
was left out. What readers of JSON disagree about is refused: duplicate keys, \`__proto__\`, NUL, lone surrogates,
numbers that a double cannot hold exactly or that have more than 50 characters.

**Amounts** are whole shillings as numbers in requests, creations, previews and the balance, and strings such as
\`5,000.00\` in lookups, lists, entries and callbacks. **Times** are UTC with microseconds.

**Languages.** \`Accept-Language: sw\` turns \`message\`, \`errors[].message\`, \`status_reason\` and \`failure_reason\` into
Swahili; \`Content-Language\` says what was sent. The stored answer of an Idempotency-Key is repeated as it was first given.

**Errors** carry a stable \`code\`; \`message\` is for people. \`retryable\` is true for 429, 500 and 503. After
\`outcome_unknown\`, or no answer at all, repeat the same request with the same Idempotency-Key: it is carried out once.

**Headers of answers**

| header | what it says |
|---|---|
${Object.entries(headers)
  .map(([name, { description }]) => `| \`${name}\` | ${description} |`)
  .join('\n')}`;

/** The document of the table of routes, as everybody gets it. */
export function openApiOf(endpoints: Record<string, Endpoint>): Constant {
  return constantOf('application/json; charset=utf-8', openApiText(endpoints));
}

/** The OpenAPI 3.1 document of the table of routes, as text. The committed openapi.json is this text. */
export function openApiText(endpoints: Record<string, Endpoint>): string {
  const schemas = createSchemas();
  const paths: Record<string, Json> = {};
  for (const [name, endpoint] of Object.entries(endpoints)) {
    endpoint.paths.forEach((path, index) => {
      const operationId = index === 0 ? name : (endpoint.otherNames?.[index - 1] ?? `${name}${index + 1}`);
      const operation = operationOf(operationId, name, endpoint, schemas);
      paths[`/${path}`] = { ...paths[`/${path}`], [endpoint.method.toLowerCase()]: operation };
    });
  }
  const webhooks = webhooksOf(schemas);
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Malipo',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: prefixes.map((url) => ({ url })),
    security: [{ apiKey: [] }],
    tags: [...new Set(Object.values(endpoints).map(tagOf))].map((name) => ({
      name,
      description: tagDescriptions[name],
    })),
    paths,
    webhooks: Object.fromEntries(
      Object.keys(webhooks).map((event) => [event, { $ref: `#/components/pathItems/${event}` }]),
    ),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: Authorization: Bearer <API_KEY>',
        },
      },
      schemas: open(schemas.components()),
      headers,
      examples: errorExamples,
      pathItems: webhooks,
    },
  };
  describe(document as unknown as Parameters<typeof describe>[0]);
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** An answer may gain members: a client that refuses those it does not know would break with the next release. */
function open<T>(node: T): T {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(open) as T;
  const members = Object.entries(node).filter(
    ([name, value]) => !(name === 'additionalProperties' && value === false),
  );
  return Object.fromEntries(members.map(([name, value]) => [name, open(value)])) as T;
}

const tagDescriptions: Record<string, string> = {
  status: 'Whether the service is there, and this document',
  payments: 'Money from customers: USSD pushes, bills and QR codes',
  payouts: 'Money to mobile wallets and bank accounts',
  transactions: 'All of them, whatever their kind, and their ledger entries',
  balance: 'What can be paid out',
  statements: 'Every change of the balance, day by day, as JSON or CSV',
  callbacks: 'Where callbacks go, what became of them, and sending them again',
};

/** The first segment of its address groups an endpoint. */
function tagOf(endpoint: Endpoint): string {
  return endpoint.paths[0].split('/')[0]?.replace('openapi.json', 'status') ?? '';
}

function operationOf(operationId: string, name: string, endpoint: Endpoint, schemas: Schemas): Json {
  const component = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return {
    operationId,
    tags: [tagOf(endpoint)],
    summary: endpoint.summary,
    ...securityOf(endpoint),
    parameters: parametersOf(endpoint, schemas),
    ...(endpoint.body
      ? {
          requestBody: {
            required: true,
            content: json(
              schemas.body(`${component}Request`, endpoint.body),
              asExamples(endpoint.examples.body),
            ),
          },
        }
      : {}),
    responses: responsesOf(component, endpoint, schemas),
  };
}

function securityOf({ scopes, everyScope }: Endpoint): Json {
  if (scopes === null) return { security: [] };
  if (everyScope)
    return {
      description: `Needs the scopes ${scopes.join(' and ')}.`,
      security: [{ apiKey: [...scopes] }],
    };
  return {
    description: `Needs the scope ${scopes.join(' or ')}.`,
    security: scopes.map((scope) => ({ apiKey: [scope] })),
  };
}

function parametersOf(endpoint: Endpoint, schemas: Schemas): Json[] {
  const parameters: Json[] = [
    {
      name: 'X-Request-Id',
      in: 'header',
      required: false,
      description: 'Kept when it is 1 to 64 letters, digits or . _ : -; another one is replaced',
      schema: { type: 'string' },
    },
    {
      name: 'Accept-Language',
      in: 'header',
      required: false,
      description: 'sw: the sentences for people in Swahili; codes and all other members stay',
      schema: { type: 'string' },
    },
  ];
  for (const [, name] of endpoint.paths[0].matchAll(/\{(\w+)\}/g)) {
    const schema =
      name === 'id' ? { type: 'string', format: 'uuid' } : { type: 'string', pattern: '^evt_[0-9a-f]{32}$' };
    parameters.push({ name, in: 'path', required: true, schema });
  }
  if (endpoint.idempotencyKey) {
    parameters.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: endpoint.idempotencyKey === 'required',
      description: 'One new value per transaction, the same value when it is retried. "k" and k are one key',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^(?!""$)[!-~]+$' },
      example: 'order-1001',
    });
  }
  for (const [name, schema] of Object.entries(endpoint.query ?? {})) {
    const isMap = schema instanceof z.ZodOptional && schema.unwrap() instanceof z.ZodRecord;
    parameters.push({
      name,
      in: 'query',
      required: false,
      ...(isMap ? { style: 'deepObject', explode: true } : {}),
      schema: schemas.parameter(schema),
    });
  }
  return parameters;
}
