import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Principal, Scope } from '../../accounts/keys.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import type { Language } from '../../domain/language.ts';
import type { Log } from '../../process/log.ts';
import type { Constant } from './constant.ts';
import type { JsonObject } from './json.ts';

type Shape = Record<string, z.ZodType>;

type Examples = { [name: string]: unknown };

/** One line of the table of routes: what the router, the checks and the OpenAPI document know of an endpoint. */
export type Endpoint = EndpointLine & (WithBody | WithoutBody);

/**
 * Examples are for readers and for the tests: each is held against its schema (`Fitting`), and the bodies are really
 * sent.
 */
type WithBody = {
  /** fields of the JSON body; without them a body is not read */
  body: Shape;
  examples: { body: Examples; answer: Examples };
};
type WithoutBody = { body?: never; examples: { body?: never; answer: Examples } };

/** An endpoint whose examples are what its own schemas say: bodies as merchants send them, without unknown fields. */
export type Fitting<E extends Endpoint> = {
  examples: { answer: Record<string, z.output<E['answer']>> } & (E extends WithBody
    ? { body: { [Name in keyof E['examples']['body']]: FittingBody<E['examples']['body'][Name], E['body']> } }
    : unknown);
};
type FittingBody<Body, Fields extends Shape> = z.input<z.ZodObject<Fields>> & {
  [Unknown in Exclude<keyof Body, keyof Fields>]: never;
};

type EndpointLine = {
  method: 'GET' | 'POST' | 'PUT';
  /** below a prefix; the first one is shown in the OpenAPI document, all are served */
  paths: readonly [string, ...string[]];
  /** the operationIds of the second address and those after it; the first one's is the name in the table */
  otherNames?: readonly string[];
  summary: string;
  /** one of these is needed, or all of them where `everyScope` says so; null: no key at all */
  scopes: readonly Scope[] | null;
  everyScope?: true;
  query?: Shape;
  /** whether the Idempotency-Key header must be sent; absent: it is not looked at */
  idempotencyKey?: 'required' | 'optional';
  /** the body of a 200 */
  answer: z.ZodType;
  /** examples of the same as CSV, where it may be asked for (`Accept: text/csv`) */
  csv?: Readonly<Record<string, string>>;
  /** what it can refuse, beside what follows from the rest of this line */
  refusals?: readonly ErrorCode[];
  /** the answer is the same for everybody: it has an ETag, is compressed for who takes that, and 304 for who has it */
  isConstant?: true;
  /** what can be asked next: operationIds that take in their path (`id`) what the answer has at a JSON pointer */
  links?: { to: readonly string[]; at: string; parameter?: 'id' | 'event_id' };
};

export type ApiRequest = {
  requestId: string;
  /** ISO 8601 UTC */
  receivedAt: string;
  id: string;
  query: URLSearchParams;
  /** null only where an endpoint needs no key */
  principal: Principal | null;
  body: JsonObject | null;
  /** the fields of the body that the endpoint knows, nulls dropped */
  known: Record<string, unknown>;
  /** '' where none was sent, or the endpoint looks at none */
  idempotencyKey: string;
  /** the caller would rather have CSV than JSON: looked at where there is a CSV */
  prefersCsv: boolean;
  /** of the sentences in the answer */
  language: Language;
  log: Log;
};

export type Reply = {
  status?: number;
  /** JSON text is sent as it is, byte for byte; a stream is text of the `Content-Type` in `headers` */
  body: string | Record<string, unknown> | Readable | Constant;
  /** what it is written in, when it is sent as it is; absent: English, sent in the language that was asked for */
  language?: Language;
  headers?: Record<string, string>;
};

export type Handler = (request: ApiRequest) => Promise<Reply>;

/** The caller of an endpoint that needs a key. */
export function callerOf(request: ApiRequest): Principal {
  if (!request.principal) throw new Error('the endpoint was served without a key');
  return request.principal;
}
