import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { document } from '../support/contract.ts';

const text = readFileSync(
  new URL('../../clients/postman/malipo.postman_collection.json', import.meta.url),
  'utf8',
);
const collection = JSON.parse(text);

const string = { type: 'string' };
const strict = (properties: object, ...required: string[]) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});
const listOf = (items: object) => ({ type: 'array', items });
const pair = strict(
  { key: string, value: string, description: string, disabled: { type: 'boolean' } },
  'key',
  'value',
);
const auth = {
  oneOf: [
    strict({ type: { const: 'noauth' } }, 'type'),
    strict(
      {
        type: { const: 'bearer' },
        bearer: listOf(strict({ key: string, value: string, type: string }, 'key')),
      },
      'type',
      'bearer',
    ),
  ],
};
const url = strict(
  {
    raw: { type: 'string', pattern: '^\\{\\{base_url\\}\\}/api/v1/' },
    host: listOf(string),
    path: listOf(string),
    query: listOf(pair),
    variable: listOf(pair),
  },
  'raw',
  'host',
  'path',
);
const body = strict(
  {
    mode: { const: 'raw' },
    raw: string,
    options: strict({ raw: strict({ language: { const: 'json' } }, 'language') }, 'raw'),
  },
  'mode',
  'raw',
);
const script = strict({ type: { const: 'text/javascript' }, exec: listOf(string) }, 'exec');
const item = strict(
  {
    name: string,
    event: listOf(strict({ listen: { enum: ['prerequest', 'test'] }, script }, 'listen', 'script')),
    request: strict(
      {
        method: { enum: ['GET', 'POST', 'PUT'] },
        description: string,
        auth,
        header: listOf(pair),
        url,
        body,
      },
      'method',
      'url',
    ),
    response: listOf({}),
  },
  'request',
);
/** What the format 2.1 says about the members that we write, and no others: Postman's own schema would allow any. */
const format = strict(
  {
    info: strict(
      {
        name: string,
        description: string,
        version: string,
        schema: { const: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
      },
      'name',
      'schema',
    ),
    auth,
    variable: listOf(pair),
    item: listOf(strict({ name: string, description: string, item: listOf(item) }, 'item')),
  },
  'info',
  'item',
);

type Request = {
  method: string;
  auth?: object;
  header: { key: string; value: string; disabled?: boolean }[];
  url: { path: string[]; query?: { disabled?: boolean }[]; variable?: { value: string }[] };
  body?: { raw: string };
};
type Described = {
  security?: unknown[];
  requestBody?: object;
  parameters: { name: string; required: boolean }[];
};

describe('the Postman collection', () => {
  const requests: Request[] = collection.item.flatMap((folder: { item: { request: Request }[] }) =>
    folder.item.map(({ request }) => request),
  );
  const operationOf = ({ method, url: { path } }: Request): Described | undefined => {
    const name = `/${path
      .slice(2)
      .join('/')
      .replace(/:(\w+)/g, '{$1}')}`;
    return document.paths[name]?.[method.toLowerCase()];
  };

  it('has the format 2.1', () => {
    const valid = new Ajv({ allErrors: true }).compile(format);
    assert.ok(valid(collection), JSON.stringify(valid.errors, null, 1));
  });

  it('has every operation of the document once, and no other', () => {
    const named = requests.map(operationOf);
    const all = Object.values(document.paths).flatMap((methods) => Object.values(methods as object));
    assert.equal(named.length, all.length);
    assert.deepEqual(new Set(named), new Set(all));
  });

  it('makes one key for each order, and sends one only where it is needed', () => {
    let creations = 0;
    for (const request of requests) {
      const wanted = operationOf(request)?.parameters.find(({ name }) => name === 'Idempotency-Key');
      const key = request.header.find((header) => header.key === 'Idempotency-Key');
      assert.deepEqual(
        [key?.value, key?.disabled],
        wanted ? ['{{idempotency_key}}', wanted.required ? undefined : true] : [undefined, undefined],
      );
      if (wanted?.required) creations += 1;
    }
    assert.equal(creations, 7);
  });

  it('sends the key of the account to what needs it, a body where one is read, and no filter', () => {
    for (const request of requests) {
      const operation = operationOf(request);
      assert.equal(
        request.auth === undefined,
        operation?.security === undefined || operation.security.length > 0,
      );
      assert.equal(request.body === undefined, operation?.requestBody === undefined);
      if (request.body) JSON.parse(request.body.raw);
      for (const filter of request.url.query ?? []) assert.equal(filter.disabled, true);
    }
  });

  it('defines every variable that it uses', () => {
    const defined = collection.variable.map(({ key }: { key: string }) => key);
    const used = [...text.matchAll(/\{\{(\w+)\}\}|collectionVariables\.get\('(\w+)'/g)].map(
      (match) => match[1] ?? match[2],
    );
    assert.deepEqual(new Set(used), new Set(defined));
  });

  it('leads nobody’s callbacks away', () => {
    const settings = requests.find(({ method }) => method === 'PUT');
    assert.deepEqual(Object.keys(JSON.parse(settings?.body?.raw ?? '')), ['events']);
  });
});
