import { operations } from './operations.ts';
import { type Call, type Settings, send } from './request.ts';
import type { Answer, Input, OperationId } from './types.ts';

type Calls = {
  [Id in keyof typeof operations]: (
    ...input: object extends Input<Id> ? [input?: Input<Id>] : [input: Input<Id>]
  ) => Promise<Answer<Id>>;
};
type Query<Id extends OperationId> = Omit<
  NonNullable<Input<Id> extends { query?: infer Q } ? Q : never>,
  'page'
>;
type Item<Id extends OperationId> = Answer<Id> extends { data: (infer One)[] } ? One : never;

/** One method for each operation of the API, by its name there, and lists that page by themselves. */
export type Malipo = Calls & {
  /** Every transaction that fits, newest first, each once, whatever happens meanwhile. */
  allTransactions(query?: Query<'getTransactions'>): AsyncGenerator<Item<'getTransactions'>, void>;
  /** Every callback event that fits, newest first, each once, whatever happens meanwhile. */
  allCallbacks(query?: Query<'getCallbacks'>): AsyncGenerator<Item<'getCallbacks'>, void>;
  /** Every line of the statement, oldest first. */
  allStatementLines(query?: Query<'getStatement'>): AsyncGenerator<Item<'getStatement'>, void>;
};

export function createMalipo(settings: Settings): Malipo {
  const calls = Object.fromEntries(
    Object.entries(operations).map(([id, operation]) => [
      id,
      // Not async here: what is wrong with the input is thrown where the call stands.
      (input: Fields = {}) => send(callOf(operation, input), settings),
    ]),
  ) as unknown as Calls;
  return {
    ...calls,
    allTransactions: (query) => newestFirst(calls.getTransactions, query, (item) => item.transaction_id),
    allCallbacks: (query) => newestFirst(calls.getCallbacks, query, (item) => item.event_id),
    allStatementLines: (query) => oldestFirst(calls.getStatement, query),
  };
}

type Fields = {
  query?: object;
  body?: unknown;
  idempotencyKey?: string;
  signal?: AbortSignal;
  [name: string]: unknown;
};

function callOf(operation: (typeof operations)[OperationId], input: Fields): Call {
  const { method, path, key } = operation;
  const made = key === 'made' ? crypto.randomUUID() : null;
  return {
    method,
    path: `${withNames(path, input)}${queryOf(input.query ?? {})}`,
    body: input.body === undefined ? null : JSON.stringify(input.body),
    idempotencyKey: key === null ? null : (input.idempotencyKey ?? made),
    signal: input.signal,
  };
}

function withNames(path: string, input: Fields): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = input[name];
    if (typeof value !== 'string' || value === '')
      throw new TypeError(`${name} must be a text that is not empty`);
    return encodeURIComponent(value);
  });
}

/** An object is written as `metadata[order_id]=INV-1`. */
function queryOf(query: object): string {
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    if (typeof value !== 'object') written.append(name, String(value));
    else
      for (const [member, text] of Object.entries(value)) written.append(`${name}[${member}]`, String(text));
  }
  return written.size === 0 ? '' : `?${written}`;
}

const PER_PAGE_MAX = 100;

type Listed = { created_at: string };
type List<Each> = (input: { query: object }) => Promise<{ data: Each[] }>;

/**
 * Goes on from the last item's own time, not from page to page: what begins, or stops to fit the filter, while the list
 * is read would move the pages, and items would be missed or come twice.
 */
async function* newestFirst<Each extends Listed>(
  list: List<Each>,
  query: { per_page?: number; to?: string } = {},
  idOf: (item: Each) => string,
): AsyncGenerator<Each, void> {
  const perPage = query.per_page ?? PER_PAGE_MAX;
  let { to } = query;
  let last: Each | undefined;
  for (let page = 1; ; ) {
    const { data } = await list({ query: { ...query, to, page, per_page: perPage } });
    const fresh = data.filter((item) => last === undefined || isAfter(item, last, idOf));
    yield* fresh;
    if (data.length < perPage) return;
    last = fresh.at(-1) ?? last;
    const next = last && nextMicrosecond(last.created_at);
    page = next === to ? page + 1 : 1;
    to = next;
  }
}

/** Whether it stands after the other one: newest first, and of the same time the larger id first. */
function isAfter<Each extends Listed>(item: Each, other: Each, idOf: (item: Each) => string): boolean {
  if (item.created_at !== other.created_at) return item.created_at < other.created_at;
  return idOf(item) < idOf(other);
}

/** `to` is exclusive, and the last item may have neighbours of the same microsecond. */
function nextMicrosecond(time: string): string {
  const micros = Number(time.slice(20, 26)) + 1;
  const second = new Date(Date.parse(`${time.slice(0, 19)}Z`) + (micros === 1_000_000 ? 1_000 : 0));
  return `${second.toISOString().slice(0, 19)}.${String(micros % 1_000_000).padStart(6, '0')}Z`;
}

/** Lines are only ever added at the end. */
async function* oldestFirst<Each>(
  list: List<Each>,
  query: { per_page?: number } = {},
): AsyncGenerator<Each, void> {
  const perPage = query.per_page ?? PER_PAGE_MAX;
  for (let page = 1; ; page += 1) {
    const { data } = await list({ query: { ...query, page, per_page: perPage } });
    yield* data;
    if (data.length < perPage) return;
  }
}
