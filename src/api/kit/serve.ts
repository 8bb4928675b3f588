import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Principal } from '../../accounts/keys.ts';
import type { Language } from '../../domain/language.ts';
import type { RequestContext } from '../../platform/http/app.ts';
import type { BigBodies, Held } from '../../platform/http/big-bodies.ts';
import { isTable, readJson, readTableBody } from '../../platform/http/body.ts';
import { Reply } from '../../platform/http/call.ts';
import type { ClientAddress } from '../../platform/http/client-address.ts';
import { type Constant, sendConstant } from '../../platform/http/constant.ts';
import { type RequestState, sendAnswer, sendWritten, setStatus } from '../../platform/http/envelope.ts';
import { namingLikely, pickKnown } from '../../platform/http/fields.ts';
import type { RateLimits } from '../../platform/http/rate-limits.ts';
import type { ApiRequest, MerchantLine, Route } from './call.ts';
import { authenticate, type MerchantKeys, readIdempotencyKey, requireScopes } from './guards.ts';

export type Guards = {
  keys: MerchantKeys;
  limits: RateLimits;
  addressOf: ClientAddress;
  bigBodies: BigBodies;
};

/** Checks in this order: key, scope, rate, media type and size, JSON, Idempotency-Key, the call's own. */
export async function serve(
  context: RequestContext,
  { line, handle }: Pick<Route, 'line' | 'handle'>,
  guards: Guards & { now: () => Date },
): Promise<void> {
  const receivedAt = guards.now().toISOString();
  const principal = line.scopes === null ? null : await admit(context, line, guards);
  const held = guards.bigBodies.holdFor(principal?.accountId ?? '');
  try {
    await answer(context, { line, handle }, { receivedAt, principal, guards, held });
  } finally {
    held.end();
  }
}

async function answer(
  context: RequestContext,
  { line, handle }: Pick<Route, 'line' | 'handle'>,
  asked: { receivedAt: string; principal: Principal | null; guards: Guards; held: Held },
): Promise<void> {
  const { guards, held, ...caller } = asked;
  const limits = { ...line, held, bigBodies: guards.bigBodies };
  const table = line.takesCsv && isTable(context.req) ? await readTableBody(context.req, limits) : null;
  const body = line.body && table === null ? await readJson(context.req, limits) : null;
  const { known, ignored } = pickKnown(line.body ?? {}, body?.value ?? {});
  if (ignored.length > 0) context.set('X-Ignored-Fields', headerListOf(ignored));
  const request: ApiRequest = {
    requestId: context.state.requestId,
    ...caller,
    id: context.params.id ?? context.params.event_id ?? '',
    query: new URLSearchParams(context.querystring),
    body,
    known,
    table,
    idempotencyKey: line.idempotencyKey ? readIdempotencyKey(context.req, line.idempotencyKey) : '',
    prefersCsv: context.accepts('application/json', 'text/csv') === 'text/csv',
    language: context.state.language,
    log: context.state.log,
  };
  const said = await answerOf(handle, request, ignored);
  if (!(said instanceof Reply)) return sendAnswer(context, said);
  if (isConstant(said.body)) guards.limits.admitReader(guards.addressOf(context.req));
  send(context, said);
}

async function answerOf(handle: Route['handle'], request: ApiRequest, ignored: string[]): Promise<unknown> {
  try {
    return await handle(request);
  } catch (error) {
    throw namingLikely(error, request.known, ignored);
  }
}

async function admit(context: RequestContext, line: MerchantLine, guards: Guards): Promise<Principal> {
  const { keys, limits, addressOf } = guards;
  context.state.address = addressOf(context.req);
  const principal = await authenticate(keys, context.req, { addressOf, ...limits });
  context.state.keyId = principal.keyId;
  requireScopes(principal, line);
  context.set(await limits.admit(principal.keyId));
  return principal;
}

function isConstant(body: Reply['body']): body is Constant {
  return typeof body === 'object' && Buffer.isBuffer(Reflect.get(body, 'bytes'));
}

function send(context: RequestContext, { status, refused, headers, body, language }: Reply): void {
  setStatus(context, status);
  if (refused) context.state.code = refused;
  context.set(headers);
  if (body instanceof Readable) sendStream(context, body, language);
  else if (isConstant(body)) sendConstant(context, body);
  else sendWritten(context, body as string, language);
}

/** A failure midway closes the connection, so that the reader does not take a part for the whole. */
function sendStream(context: Context & { state: RequestState }, stream: Readable, language: Language): void {
  context.set('Content-Language', language);
  context.body = stream;
  stream.once('error', (error) => {
    context.state.log.error({ err: error }, 'an answer broke off');
    context.res.destroy();
  });
}

const NAMES_MAX = 20;
const NAME_CHARACTERS_MAX = 64;
/** Clients and proxies accept much longer headers. */
const HEADER_CHARACTERS_MAX = 2_000;

/** Percent-encodes unsafe characters and shortens the list. The empty name is `""`. */
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
