import assert from 'node:assert/strict';
import type { MerchantLine } from '../../src/api/kit/call.ts';
import { calls } from '../../src/api/routes.ts';
import { calls as operatorCalls } from '../../src/operators/api/calls.ts';
import { send } from '../api/support/send.ts';
import { type Gateway, newKey } from '../support/gateway.ts';
import { until } from '../support/wait.ts';
import type { createRecorder, Json } from './recorder.ts';
import type { Shop } from './shop.ts';

// biome-ignore lint/suspicious/noExplicitAny: an answer of the API, looked into by the walk
type Answer = any;
export type Call = keyof typeof calls;
export type OperatorCall = keyof typeof operatorCalls;
type Asked = {
  /** in the address */
  id?: string;
  query?: string;
  body?: unknown;
  /** a file in place of a body */
  csv?: string;
  headers?: Record<string, string>;
  key?: string;
  /** where it is not that of the call */
  method?: string;
};

/** A merchant who asks once, and whose request and answer become examples. */
export function createWalker(shop: Shop, { record }: Pick<ReturnType<typeof createRecorder>, 'record'>) {
  async function ask(call: Call, asked: Asked) {
    const { id = '', query = '', body, csv, headers, key = newKey(), method } = asked;
    const { paths, idempotencyKey, ...line }: MerchantLine = calls[call];
    const path = `/api/v1/${paths[0].replace(/\{\w+\}/, id)}${query}`;
    const { port } = new URL(shop.gateway.local.api_url);
    const payload = csv ?? (body === undefined ? undefined : JSON.stringify(body));
    const answer = await send(Number(port), method ?? line.method, path, payload, {
      authorization: `Bearer ${shop.apiKey}`,
      ...(idempotencyKey ? { 'idempotency-key': key } : {}),
      ...(payload === undefined
        ? {}
        : { 'content-type': csv === undefined ? 'application/json' : 'text/csv' }),
      ...headers,
    });
    assert.equal(answer.headers['x-ignored-fields'], undefined, `${call} takes these fields`);
    return answer;
  }

  /** An example of an answer, and of the body where `sent` names it. Returns the answer. */
  async function see(
    call: Call,
    name: string | null,
    { sent, fixed, ...asked }: Asked & { sent?: string; fixed?: Record<string, Json> } = {},
  ): Promise<Answer> {
    const { status, text } = await ask(call, asked);
    assert.equal(status, 200, `${call} ${name}: ${text}`);
    if (sent !== undefined) record(['calls', call, 'body', sent], asked.body as Json);
    if (name !== null) record(['calls', call, 'answer', name], JSON.parse(text), fixed);
    return JSON.parse(text);
  }

  return {
    see,
    /** An example of the answer as CSV. */
    async seeCsv(call: Call, name: string, asked: Asked = {}): Promise<void> {
      const { status, text } = await ask(call, { ...asked, headers: { accept: 'text/csv' } });
      assert.equal(status, 200, text);
      record(['calls', call, 'csv', name], text);
    },
    /** An example of a refusal, under its code. */
    async refused(code: string, call: Call, asked: Asked = {}): Promise<void> {
      const { text } = await ask(call, asked);
      assert.equal(JSON.parse(text).code, code, text);
      record(['errors', code], JSON.parse(text));
    },
    /** An example of a callback about no transaction: the first one of this name that the merchant got. */
    async ping(event: string, name: string): Promise<void> {
      const body = await until(async () => {
        const { data } = (await shop.get(`callbacks?event=${event}`)).json;
        const [last] = data;
        return last && (await shop.get(`callbacks/${last.event_id}`)).json.body;
      }, `${event} is written`);
      record(['events', event, name], JSON.parse(body));
    },
    /** An example of a callback that the merchant got about a transaction: the last one, when so many came. */
    async told(name: string, id: string, count = 1): Promise<void> {
      const event = (await shop.events(id, count)).at(-1);
      record(['events', event.event, name], event);
    },
  };
}

export type Walker = ReturnType<typeof createWalker>;

type AskedByOperator = { id?: string; query?: string; body?: object; file?: string };

/** What an operator of `npm start` asks, by the name of the call: the first, or with 1 the second. */
export async function askOperator(
  { local }: Gateway,
  call: OperatorCall,
  { id = '', query = '', body, file }: AskedByOperator = {},
  operator = 0,
): Promise<Answer> {
  const { method, paths } = operatorCalls[call];
  const answer = await fetch(
    `${local.management_url}/operator/v1/${paths[0].replace('{id}', encodeURIComponent(id))}${query}`,
    {
      method,
      headers: {
        authorization: `Bearer ${local.operators[operator]?.token}`,
        'x-request-id': 'req_01jd4zr7m2',
        ...(body && { 'content-type': 'application/json' }),
        ...(file && { 'content-type': 'application/octet-stream' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(file && { body: file }),
    },
  );
  const text = await answer.text();
  assert.equal(answer.status, 200, `${call} ${id}: ${text}`);
  return JSON.parse(text);
}

/** Two operators agree on something, as their own tools do it. Returns the proposal's id. */
export async function agreed(gateway: Gateway, body: object): Promise<string> {
  const { id, payload_hash } = (await askOperator(gateway, 'propose', { body })).proposal;
  await askOperator(gateway, 'approve', { id, body: { payload_hash } }, 1);
  return id;
}
