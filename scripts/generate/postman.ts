import { type Document, type Operation, operationsOf, type Parameter } from './document.ts';

/**
 * The OpenAPI document as a collection for Postman (format 2.1). Ours, because `openapi-to-postmanv2` brings 85 packages,
 * numbers its items anew each time, and knows nothing of keys that must be fresh or of ids that one request gives to the
 * next.
 */
export function postmanText(text: string): string {
  const document: Document = JSON.parse(text);
  const items = operationsOf(document);
  const collection = {
    info: {
      name: document.info.title,
      description: DESCRIPTION,
      version: document.info.version,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: 'http://127.0.0.1:3000' },
      ...EMPTY.map((key) => ({ key, value: '' })),
    ],
    item: document.tags.map(({ name, description }) => ({
      name,
      description,
      item: items.filter(({ operation }) => operation.tags.includes(name)).map(itemOf),
    })),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

const DESCRIPTION =
  `Set the variables \`base_url\` and \`api_key\`. A creation has one Idempotency-Key for each order, as your
program must have it: sent again unchanged it is the same order, and changed another one. To send the same order a second time,
empty the variable \`order\`. The id of what was created last stands in the requests that take one. Filters of lists are there, switched
off.`.replaceAll('\n', ' ');

/** Before a creation: a key for each order, kept in variables. */
const KEY_OF_ORDER = [
  "const order = [pm.info.requestName, pm.request.url, pm.request.body].join(' ');",
  "if (pm.collectionVariables.get('order') !== order) {",
  "  pm.collectionVariables.set('order', order);",
  "  pm.collectionVariables.set('idempotency_key', pm.variables.replaceIn('{{$guid}}'));",
  '}',
];

const EMPTY = [
  'order',
  'idempotency_key',
  'api_key',
  'payment_id',
  'payout_id',
  'number_id',
  'link_id',
  'batch_id',
  'items_hash',
  'transaction_id',
  'event_id',
];

type Item = { method: string; path: string; operation: Operation };

function itemOf({ method, path, operation }: Item) {
  const saved = savedBy(method, path, operation);
  const body = bodyOf(operation);
  const headers = operation.parameters.filter((parameter) => parameter.name === 'Idempotency-Key');
  const scripts = [
    { listen: 'prerequest', exec: headers.length > 0 ? KEY_OF_ORDER : [] },
    { listen: 'test', exec: saved },
  ];
  const events = scripts
    .filter(({ exec }) => exec.length > 0)
    .map(({ listen, exec }) => ({ listen, script: { type: 'text/javascript', exec } }));
  return {
    name: operation.summary,
    ...(events.length > 0 && { event: events }),
    request: {
      method: method.toUpperCase(),
      description: operation.description,
      ...(operation.security?.length === 0 && { auth: { type: 'noauth' } }),
      header: [
        ...headers.map(({ name, description = '', required }) => ({
          key: name,
          value: '{{idempotency_key}}',
          description,
          ...(!required && { disabled: true }),
        })),
        ...(body === null ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
      ],
      url: urlOf(path, operation.parameters),
      ...(body !== null && { body: { mode: 'raw', raw: body, options: { raw: { language: 'json' } } } }),
    },
    response: [],
  };
}

function urlOf(path: string, parameters: Parameter[]) {
  const steps = `api/v1${path.replace(/\{(\w+)\}/g, ':$1')}`.split('/');
  const names = parameters.filter((parameter) => parameter.in === 'path');
  const filters = parameters.filter((parameter) => parameter.in === 'query');
  return {
    raw: `{{base_url}}/${steps.join('/')}`,
    host: ['{{base_url}}'],
    path: steps,
    ...(names.length > 0 && {
      variable: names.map(({ name }) => ({ key: name, value: `{{${variableOf(path, name)}}}` })),
    }),
    ...(filters.length > 0 && { query: filters.map(filterOf) }),
  };
}

function filterOf({ name, description = '', schema }: Parameter) {
  const key = name === 'metadata' ? 'metadata[order_id]' : name;
  return { key, value: String(schema.default ?? ''), description, disabled: true };
}

/** What is no transaction and has an id of its own, in a member of its name. */
const NAMED = { number: 'numbers', link: 'links', batch: 'batches' };

/** The variable that a path's name is filled from, and that a creation at this address fills. */
function variableOf(path: string, name: string): string {
  const named = Object.entries(NAMED).find(([, folder]) => path.includes(`/${folder}`));
  if (named) return `${named[0]}_id`;
  return name === 'id' ? `${path.split('/')[1]?.replace(/s$/, '')}_id` : name;
}

/** Lines of a script that keeps the id of what was made, for the requests that take it. */
function savedBy(method: string, path: string, { responses }: Operation): string[] {
  const [example] = Object.values(responses['200']?.content?.['application/json']?.examples ?? {});
  const answer = example?.value as Record<string, unknown> | undefined;
  if (method !== 'post' || answer === undefined) return [];
  const noun = path.endsWith('/refunds') ? 'payout_id' : variableOf(path, 'id');
  const named = Object.keys(NAMED).find((one) => one in answer);
  if (named)
    return [
      'const answer = pm.response.code === 200 ? pm.response.json() : {};',
      `if (answer.${named}) pm.collectionVariables.set('${named}_id', answer.${named}.id);`,
      ...(named === 'batch'
        ? ["if (answer.batch) pm.collectionVariables.set('items_hash', answer.batch.items_hash);"]
        : []),
    ];
  const kept = [
    ...('transaction_id' in answer
      ? [`['${noun}', 'transaction_id']`, "['transaction_id', 'transaction_id']"]
      : []),
    ...('event_id' in answer ? ["['event_id', 'event_id']"] : []),
  ];
  if (kept.length === 0) return [];
  return [
    'const answer = pm.response.code === 200 ? pm.response.json() : {};',
    `for (const [variable, member] of [${kept.join(', ')}])`,
    '  if (answer[member]) pm.collectionVariables.set(variable, answer[member]);',
  ];
}

/** The first example of the document, as it can be sent any number of times. */
function bodyOf({ requestBody }: Operation): string | null {
  if (requestBody === undefined) return null;
  const [example] = Object.values(requestBody.content['application/json']?.examples ?? {});
  const value = { ...(example?.value as Record<string, unknown>) };
  // A bill is named by its number: the same one again would be the same bill.
  if ('payment_number' in value) value.payment_number = 'INV-{{$guid}}';
  if ('batch_number' in value) value.batch_number = 'SALARIES-{{$guid}}';
  if ('items_hash' in value) value.items_hash = '{{items_hash}}';
  return JSON.stringify(value, null, 2);
}
