import { z } from 'zod';
import { type ErrorCode, httpStatusOf } from '../domain/errors.ts';
import { errorAnswer } from './answer-schemas.ts';
import { prefixes } from './app.ts';
import type { Endpoint } from './endpoint.ts';

type Json = Record<string, unknown>;

export const getOpenApi = {
  method: 'GET',
  paths: ['openapi.json'],
  summary: 'This document',
  scopes: null,
  answer: z.record(z.string(), z.unknown()),
} as const satisfies Endpoint;

/** The OpenAPI 3.1 document of the table of routes, as text. The committed openapi.json is this text. */
export function openApiText(endpoints: Record<string, Endpoint>): string {
  const paths: Record<string, Json> = {};
  for (const [name, endpoint] of Object.entries(endpoints)) {
    endpoint.paths.forEach((path, index) => {
      const at = `/${path}`;
      paths[at] = {
        ...paths[at],
        [endpoint.method.toLowerCase()]: operationOf(index === 0 ? name : `${name}${index + 1}`, endpoint),
      };
    });
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Malipo',
      version: '1.0.0',
      description:
        'Payments and payouts for merchants in Tanzania. Every address answers under every server.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: prefixes.map((url) => ({ url })),
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: schemaOf(errorAnswer, 'output') },
      responses: errorResponses(),
      headers,
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const headers = {
  'X-Request-Id': header("The caller's own if it was sane, else ours"),
  'Cache-Control': header('Always no-store'),
  'X-Ignored-Fields': header('Fields of the body that are not known here'),
  'Idempotent-Replayed': header('true: this is the first answer of the key again'),
  'Retry-After': header('Seconds'),
  Allow: header('The methods of this address'),
  'WWW-Authenticate': header('Bearer'),
};

function header(description: string): Json {
  return { description, schema: { type: 'string' } };
}

function headersOf(...names: (keyof typeof headers)[]): Json {
  const all = ['X-Request-Id', 'Cache-Control', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function operationOf(operationId: string, endpoint: Endpoint): Json {
  return {
    operationId,
    summary: endpoint.summary,
    ...(endpoint.scopes === null
      ? { security: [] }
      : { description: `Needs the scope ${endpoint.scopes.join(' or ')}.` }),
    parameters: parametersOf(endpoint),
    ...(endpoint.body
      ? { requestBody: { required: true, content: jsonOf(schemaOf(z.object(endpoint.body), 'input')) } }
      : {}),
    responses: responsesOf(endpoint),
  };
}

function parametersOf(endpoint: Endpoint): Json[] {
  const parameters: Json[] = [
    {
      name: 'X-Request-Id',
      in: 'header',
      required: false,
      description: 'Kept when it is 1 to 64 letters, digits or . _ : -; another one is replaced',
      schema: { type: 'string' },
    },
  ];
  if (endpoint.paths[0].includes('{id}')) {
    parameters.push({ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } });
  }
  if (endpoint.idempotencyKey) {
    parameters.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: true,
      description: 'One new value per transaction, the same value when it is retried',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
    });
  }
  for (const [name, schema] of Object.entries(endpoint.query ?? {})) {
    parameters.push({ name, in: 'query', required: false, schema: schemaOf(schema, 'input') });
  }
  return parameters;
}

function responsesOf(endpoint: Endpoint): Json {
  const ok = [
    ...(endpoint.body ? (['X-Ignored-Fields'] as const) : []),
    ...(endpoint.idempotencyKey ? (['Idempotent-Replayed'] as const) : []),
  ];
  const responses: Json = {
    200: {
      description: endpoint.summary,
      headers: headersOf(...ok),
      content: jsonOf(schemaOf(endpoint.answer, 'output')),
    },
  };
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(endpoint)) {
    const status = httpStatusOf[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    responses[status] = { $ref: `#/components/responses/${status}`, description: codes.join(', ') };
  }
  return responses;
}

const extraHeaders: Record<number, (keyof typeof headers)[]> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  409: ['X-Ignored-Fields', 'Idempotent-Replayed'],
  422: ['X-Ignored-Fields'],
  503: ['X-Ignored-Fields', 'Retry-After'],
};

/** One response for every error status: the envelope is the same, the codes are told at each endpoint. */
function errorResponses(): Json {
  const statuses = [...new Set(Object.values(httpStatusOf))].sort((a, b) => a - b);
  const responses = statuses.map((status) => [
    status,
    {
      description: (Object.keys(httpStatusOf) as ErrorCode[])
        .filter((code) => httpStatusOf[code] === status)
        .join(', '),
      headers: headersOf(...(extraHeaders[status] ?? [])),
      content: jsonOf({ $ref: '#/components/schemas/Error' }),
    },
  ]);
  return Object.fromEntries(responses);
}

/** What an endpoint can refuse: its own codes and those that follow from its line in the table. */
function codesOf(endpoint: Endpoint): Set<ErrorCode> {
  const codes = new Set<ErrorCode>(['method_not_allowed', 'internal_error', 'unavailable']);
  const add = (...more: ErrorCode[]) => {
    for (const code of more) codes.add(code);
  };
  if (endpoint.scopes !== null) add('unauthorized', 'forbidden');
  if (endpoint.paths[0].includes('{id}')) add('not_found');
  if (endpoint.body) add('unsupported_media_type', 'payload_too_large', 'invalid_json', 'validation_failed');
  if (endpoint.query) add('validation_failed');
  if (endpoint.idempotencyKey) {
    add('idempotency_key_missing', 'idempotency_key_invalid', 'idempotency_key_reused', 'outcome_unknown');
  }
  add(...(endpoint.refusals ?? []));
  return codes;
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return json;
}

function jsonOf(schema: Json): Json {
  return { 'application/json': { schema } };
}
