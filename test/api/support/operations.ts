import { randomUUID } from 'node:crypto';
import type { MerchantLine } from '../../../src/api/kit/call.ts';
import { examples } from '../../../src/api/reference/examples.ts';
import { calls } from '../../../src/api/routes.ts';
import { type Answer, freshKey, type TestApi } from './api.ts';

export type Operation = { name: string; endpoint: MerchantLine };

/** Every operation of the table of routes: a new one is tested without being named anywhere. */
export const operations: Operation[] = Object.entries(calls).map(([name, endpoint]) => ({
  name,
  endpoint: endpoint as MerchantLine,
}));

export const guarded = operations.filter(({ endpoint }) => endpoint.scopes !== null);
export const withId = guarded.filter(({ endpoint }) => endpoint.paths[0].includes('{'));

/** The bodies that the operation's own documentation shows. */
export function exampleBodies({ name, endpoint }: Operation): Record<string, unknown>[] {
  if (!endpoint.body) return [];
  const bodies = Object.values(examples.calls[name]?.body ?? {});
  if (bodies.length === 0) throw new Error(`${name} takes a body: test/e2e/examples.test.ts has to send one`);
  return bodies as Record<string, unknown>[];
}

/** Calls an operation as its documentation shows it, with `id` for every parameter of its path. */
export function callOperation(
  api: TestApi,
  operation: Operation,
  options: {
    key?: string | null;
    id?: string;
    path?: string;
    body?: unknown;
    headers?: Record<string, string>;
  } = {},
): Promise<Answer> {
  const { endpoint } = operation;
  const [example] = exampleBodies(operation);
  const id = encodeURIComponent(options.id ?? randomUUID());
  const body = options.body ?? example;
  return api.call(endpoint.method, (options.path ?? endpoint.paths[0]).replace(/\{\w+\}/g, id), {
    ...(options.key === undefined ? {} : { key: options.key }),
    ...(body === undefined ? {} : { body }),
    headers: { ...(endpoint.idempotencyKey ? freshKey() : {}), ...options.headers },
  });
}

/** What two answers must share to be one answer: all but the date. */
export function whole(answer: Answer): unknown {
  const { date: _, ...headers } = answer.headers;
  return { status: answer.status, headers, text: answer.text };
}
