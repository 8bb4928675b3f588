import { z } from 'zod';
import { errorAnswer } from '../../contract/error-schema.ts';
import { Reply } from '../../platform/http/call.ts';
import { type Constant, constantOf } from '../../platform/http/constant.ts';
import { asExamples, type HeaderName, headers, pathsOf, type Side } from '../../platform/http/openapi.ts';
import { createSchemas, type Json, type Schemas } from '../../platform/http/openapi-schema.ts';
import { readPackageFile } from '../../platform/process/package-files.ts';
import { prefixes } from '../kit/app.ts';
import type { MerchantLine } from '../kit/call.ts';
import { call } from '../kit/gateway-call.ts';
import { examples } from './examples.ts';
import { webhooksOf } from './openapi-webhooks.ts';

export const getOpenApi = call(
  {
    method: 'GET',
    paths: ['openapi.json'],
    summary: 'This document',
    purpose:
      'Make a client in your language from this document, or read it into your own tools. ' +
      'It needs no key and describes exactly the version that serves it.',
    scopes: null,
    isConstant: true,
    refusals: ['rate_limited'],
    answer: z.record(z.string(), z.unknown()),
  },
  async (_request, { openApi }) => new Reply({ body: openApi }),
);

const VERSION: string = JSON.parse(readPackageFile('package.json')).version;

const DESCRIPTION = `Payments and payouts for merchants in Tanzania.

Every server has every address. HEAD works wherever GET does. A trailing slash makes no difference.

**Requests.** A body is one JSON object of at most 64 KiB, nested at most 8 deep; without a Content-Type it
is read as JSON. Unknown fields are ignored and named in \`X-Ignored-Fields\`. A null for an optional field
means that you left it out. A body that JSON parsers read differently is refused, such as one with the same
key twice, or with a number that a double cannot hold exactly.

**Amounts** are whole shillings as numbers in requests, creations, previews and the balance. They are strings
such as \`5,000.00\` in lookups, lists, entries and callbacks. **Times** are UTC with microseconds.

**Languages.** \`Accept-Language: sw\` turns \`message\`, \`errors[].message\`, \`status_reason\` and
\`failure_reason\` into Swahili; \`Content-Language\` names the language of the answer. The stored answer
of an Idempotency-Key is repeated unchanged.

**Errors** carry a stable \`code\`; \`message\` is for people. \`retryable\` is true for 429, 500 and 503.
After \`outcome_unknown\`, or no answer at all, repeat the same request with the same Idempotency-Key: it is
carried out once.

**Headers of answers**

| header | what it says |
|---|---|
${Object.entries(headers)
  .map(([name, { description }]) => `| \`${name}\` | ${description} |`)
  .join('\n')}`;

type Lines = Record<string, MerchantLine>;

export function openApiOf(lines: Lines): Constant {
  return constantOf('application/json; charset=utf-8', openApiText(lines));
}

/** The committed openapi.json is this text. */
export function openApiText(lines: Lines): string {
  const schemas = createSchemas();
  const paths = pathsOf(lines, sideOf(schemas));
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
    tags: [...new Set(Object.values(lines).map(tagOf))].map((name) => ({
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
      examples: asExamples(examples.errors),
      pathItems: webhooks,
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Answers get new members in later releases, and clients must not refuse them. */
function open<T>(node: T): T {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(open) as T;
  const members = Object.entries(node).filter(
    ([name, value]) => !(name === 'additionalProperties' && value === false),
  );
  return Object.fromEntries(members.map(([name, value]) => [name, open(value)])) as T;
}

const tagDescriptions: Record<string, string> = {
  status: 'Whether the service works, and this document',
  payments: 'Money from customers: USSD pushes, bills and QR codes',
  payouts: 'Money to mobile wallets and bank accounts',
  networks: 'The networks, their limits, and whether they work at the moment',
  fees: 'What each kind of payment and payout costs you',
  transactions: 'All payments, bills and payouts, and their ledger entries',
  balance: 'The amount that you can pay out',
  statements: 'Every change of the balance, day by day, as JSON or CSV',
  callbacks: 'The URL of callbacks, the log of their delivery, and how to send them again',
};

function tagOf(line: MerchantLine): string {
  return line.paths[0].split('/')[0]?.replace('openapi.json', 'status') ?? '';
}

/** Errors with other statuses come before the body is read, so they cannot name its fields. */
const bodyWasRead = [200, 400, 404, 409, 422, 429, 500, 503];

function sideOf(schemas: Schemas): Side<MerchantLine> {
  return {
    schemas,
    errorAnswer,
    operation: (line) => ({ tags: [tagOf(line)], ...securityOf(line) }),
    parameters: parametersOf,
    codes: (line) => [
      ...(line.scopes === null ? [] : (['unauthorized', 'forbidden', 'rate_limited'] as const)),
      ...(line.idempotencyKey === 'required' ? (['idempotency_key_missing'] as const) : []),
      ...(line.idempotencyKey
        ? (['idempotency_key_invalid', 'idempotency_key_reused', 'outcome_unknown'] as const)
        : []),
    ],
    headers: headersOf,
    examples: (name) => examples.calls[name] ?? {},
    errorExamples: (codes) =>
      Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    response: (name, { csv, links }) => ({
      ...(csv ? { content: { 'text/csv': csvOf(name) } } : {}),
      ...(links ? { links: linksOf(links) } : {}),
    }),
  };
}

const csvOf = (name: string) => ({
  schema: { type: 'string' },
  examples: asExamples(examples.calls[name]?.csv),
});

function headersOf(line: MerchantLine, status: number): HeaderName[] {
  const names: HeaderName[] = [];
  if (line.body && bodyWasRead.includes(status)) names.push('X-Ignored-Fields');
  if (line.csv && status === 200) names.push('Content-Disposition');
  if (line.isConstant && status === 200) names.push('ETag', 'Vary', 'Content-Encoding');
  if (line.idempotencyKey && [200, 409].includes(status)) names.push('Idempotent-Replayed');
  if (line.scopes !== null && status !== 405) names.push('RateLimit', 'RateLimit-Policy');
  return names;
}

function linksOf({ to, at, parameter = 'id' }: NonNullable<MerchantLine['links']>): Json {
  const parameters = { [parameter]: `$response.body#${at}` };
  return Object.fromEntries(to.map((operationId) => [operationId, { operationId, parameters }]));
}

function securityOf({ purpose, scopes, everyScope }: MerchantLine): Json {
  if (scopes === null) return { description: purpose, security: [] };
  if (everyScope)
    return {
      description: `${purpose}\n\nNeeds the scopes ${scopes.join(' and ')}.`,
      security: [{ apiKey: [...scopes] }],
    };
  return {
    description: `${purpose}\n\nNeeds the scope ${scopes.join(' or ')}.`,
    security: scopes.map((scope) => ({ apiKey: [scope] })),
  };
}

const ofId = {
  description: 'The `transaction_id`, or `id`, of the answer that created it',
  schema: { type: 'string', format: 'uuid' },
};
const ofEvent = {
  description: 'The `event_id` of the callback, or of a line of its log',
  schema: { type: 'string', pattern: '^evt_[0-9a-f]{32}$' },
};

function parametersOf(line: MerchantLine): Json[] {
  const parameters: Json[] = [
    {
      name: 'X-Request-Id',
      in: 'header',
      required: false,
      description: 'We keep it if it is 1 to 64 letters, digits or . _ : -, and replace any other',
      schema: { type: 'string' },
    },
    {
      name: 'Accept-Language',
      in: 'header',
      required: false,
      description: 'sw: sentences for people are in Swahili; codes and all other members stay the same',
      schema: { type: 'string' },
    },
  ];
  for (const [, name] of line.paths[0].matchAll(/\{(\w+)\}/g)) {
    parameters.push({ name, in: 'path', required: true, ...(name === 'id' ? ofId : ofEvent) });
  }
  if (line.idempotencyKey) {
    parameters.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: line.idempotencyKey === 'required',
      description: 'A new value for each transaction, and the same value for a retry. "k" and k are one key',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^(?!""$)[!-~]+$' },
      example: 'order-1001',
    });
  }
  return parameters;
}
