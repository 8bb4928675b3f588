import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Keys, Principal } from '../../../accounts/keys.ts';
import { readBody } from '../../../process/read-body.ts';
import { JSON_BYTES_MAX, requireJsonMediaType } from '../body.ts';
import { type Constant, sendConstant } from '../constant.ts';
import type { ApiRequest, Endpoint, Handler, Reply } from '../endpoint.ts';
import { pickKnown } from '../fields.ts';
import { type JsonObject, parseJsonObject } from '../json.ts';
import type { ClientAddress } from './client-address.ts';
import { type RequestState, sendAnswer } from './envelope.ts';
import { authenticate, readIdempotencyKey, requireScopes } from './guards.ts';
import type { RateLimits } from './rate-limits.ts';

/** The guards of every endpoint. */
export type Guards = {
  keys: Pick<Keys, 'authenticate' | 'isKnown'>;
  limits: RateLimits;
  addressOf: ClientAddress;
};

/**
 * The order of checks of every endpoint, after its route was found: key, scope, rate, media type and size, JSON,
 * Idempotency-Key. What is left (stored answer, fields, start) is the handler's.
 */
export async function serve(
  context: Context & { state: RequestState },
  options: Guards & { endpoint: Endpoint; handler: Handler; id: string; now: () => Date },
): Promise<void> {
  const { endpoint, handler } = options;
  const receivedAt = options.now().toISOString();
  const principal = endpoint.scopes === null ? null : await admit(context, endpoint, options);
  const body = endpoint.body ? await readJson(context) : null;
  const { known, ignored } = pickKnown(endpoint.body ?? {}, body?.value ?? {});
  if (ignored.length > 0) context.set('X-Ignored-Fields', headerListOf(ignored));
  const request: ApiRequest = {
    requestId: context.state.requestId,
    receivedAt,
    id: options.id,
    query: new URLSearchParams(context.querystring),
    principal,
    body,
    known,
    idempotencyKey: endpoint.idempotencyKey ? readIdempotencyKey(context.req, endpoint.idempotencyKey) : '',
    prefersCsv: context.accepts('application/json', 'text/csv') === 'text/csv',
    language: context.state.language,
    log: context.state.log,
  };
  const reply = await handler(request);
  if (isConstant(reply.body)) options.limits.admitReader(options.addressOf(context.req));
  send(context, reply);
}

async function admit(
  context: Context & { state: RequestState },
  endpoint: Endpoint,
  guards: Guards,
): Promise<Principal> {
  const { keys, limits, addressOf } = guards;
  context.state.address = addressOf(context.req);
  const principal = await authenticate(keys, context.req, { addressOf, ...limits });
  context.state.keyId = principal.keyId;
  requireScopes(principal, endpoint);
  context.set(await limits.admit(principal.keyId));
  return principal;
}

async function readJson(context: Context): Promise<JsonObject> {
  requireJsonMediaType(context.req);
  return parseJsonObject(await readBody(context.req, JSON_BYTES_MAX));
}

function isConstant(body: Reply['body']): body is Constant {
  return typeof body === 'object' && Buffer.isBuffer(Reflect.get(body, 'bytes'));
}

function send(context: Context & { state: RequestState }, reply: Reply): void {
  context.status = reply.status ?? 200;
  context.set(reply.headers ?? {});
  const { body, language } = reply;
  if (body instanceof Readable) sendStream(context, body);
  else if (isConstant(body)) sendConstant(context, body);
  else sendAnswer(context, typeof body === 'string' ? body : JSON.stringify(body), language);
}

/** A failure in the middle ends the connection, so that the reader never takes a part for the whole. */
function sendStream(context: Context & { state: RequestState }, stream: Readable): void {
  context.set('Content-Language', 'en');
  context.body = stream;
  stream.once('error', (error) => {
    context.state.log.error({ err: error }, 'an answer broke off');
    context.res.destroy();
  });
}

const NAMES_MAX = 20;
const NAME_CHARACTERS_MAX = 64;
/** Well below what clients and proxies take of a header. */
const HEADER_CHARACTERS_MAX = 2_000;

/**
 * Names come from the request, so whatever could break a header is percent-encoded and the list is kept short. The
 * empty name is `""`.
 */
function headerListOf(names: string[]): string {
  const shown: string[] = [];
  let length = 0;
  for (const name of names.slice(0, NAMES_MAX)) {
    const text = encodeURIComponent([...name].slice(0, NAME_CHARACTERS_MAX).join('')) || '""';
    length += text.length + 2;
    if (length > HEADER_CHARACTERS_MAX) break;
    shown.push(text);
  }
  return shown.length < names.length ? [...shown, '...'].join(', ') : shown.join(', ');
}
