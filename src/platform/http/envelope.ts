import { randomBytes } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { writeAnswer } from '../../contract/json-of.ts';
import { errorBody, GatewayError, httpStatusOf, withDocs } from '../../domain/errors.ts';
import type { Language } from '../../domain/language.ts';
import { type Message, say } from '../../domain/messages.ts';
import { isDatabaseDown, isSchemaBehind } from '../db/errors.ts';
import type { Log } from '../process/log.ts';
import type { Metrics } from '../process/metrics.ts';

export type RequestState = {
  requestId: string;
  route: string;
  log: Log;
  keyId?: string;
  /** set if the caller must authenticate */
  address?: string;
  language: Language;
  code?: string;
  docsOrigin?: string | undefined;
};

const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,64}$/;
const RETRY_AFTER_SECONDS = '5';

/** Gives every request an id, common headers, a log line and a metric, and every error one envelope. */
export function envelope(deps: {
  log: Log;
  metrics: Metrics;
  /** English first */
  languages?: readonly Language[];
  /** base address of merchants' docs; absent on pages for people */
  docsOrigin?: string;
}): Middleware<RequestState> {
  return async (context, next) => {
    const started = process.hrtime.bigint();
    const requestId = requestIdOf(context.get('X-Request-Id'));
    const log = deps.log.child({ request_id: requestId });
    Object.assign(context.state, {
      requestId,
      route: 'unknown',
      log,
      language: languageOf(context, deps.languages),
      docsOrigin: deps.docsOrigin,
    });
    try {
      await next();
    } catch (error) {
      const problem = toGatewayError(error, log);
      context.state.code = problem.code;
      sendError(context, problem, requestId);
    }
    context.set('X-Request-Id', requestId);
    // An answer may be cached only if it says so itself (the reference at /docs).
    if (!context.response.get('Cache-Control')) context.set('Cache-Control', 'no-store');
    const seconds = Number(process.hrtime.bigint() - started) / 1e9;
    const { route, keyId, address, code } = context.state;
    deps.metrics.observe({ route, method: context.method, status: context.status, code, seconds });
    const ms = Math.round(seconds * 1000);
    log.info(
      { method: context.method, route, status: context.status, code, ms, key_id: keyId, address },
      'request',
    );
  };
}

function requestIdOf(given: string): string {
  return SANE_REQUEST_ID.test(given) ? given : `req_${randomBytes(8).toString('hex')}`;
}

/** Keeps a refusal unchanged; turns any other error into `internal_error` or another code for callers. */
export function toGatewayError(error: unknown, log: Log): GatewayError {
  if (error instanceof GatewayError) return error;
  if (isDatabaseDown(error)) {
    log.error({ err: error }, 'the database cannot be reached');
    return unavailable();
  }
  if (isSchemaBehind(error)) {
    log.error({ err: error }, 'the database lacks a migration or a grant');
    return unavailable();
  }
  log.error({ err: error }, 'unexpected error');
  return new GatewayError('internal_error', say('internal_error'));
}

/** Makes a 503, which means that nothing was started. `headers` may hold `Retry-After`. */
export function unavailable(
  message: Message = say('service_unavailable'),
  headers: Record<string, string> = {},
): GatewayError {
  return new GatewayError('unavailable', message, { headers });
}

function sendError(context: Context, error: GatewayError, requestId: string): void {
  setStatus(context, httpStatusOf[error.code]);
  context.set(error.detail.headers ?? {});
  sendAnswer(context, errorBody(error, requestId));
}

/** Chooses the caller's preferred language (RFC 9110, 12.5.4); English by default. */
function languageOf(context: Context, languages: readonly Language[] = ['en']): Language {
  const accepted = context.acceptsLanguages([...languages]);
  return languages.find((language) => language === accepted) ?? 'en';
}

export function sendAnswer(context: Context, answer: unknown): void {
  const { language } = context.state;
  sendWritten(context, writeAnswer(answer, language), language);
}

export function sendWritten(context: Context, text: string, language: Language): void {
  context.set('Content-Language', language);
  sendJson(context, withDocs(text, context.state.docsOrigin));
}

/** Adds the headers that HTTP requires with a status. */
export function setStatus(context: Context, status: number): void {
  context.status = status;
  if (status === 503) context.set('Retry-After', RETRY_AFTER_SECONDS);
  if (status === 401) context.set('WWW-Authenticate', 'Bearer');
}

export function sendJson(context: Context, text: string): void {
  context.set('Content-Type', 'application/json; charset=utf-8');
  context.body = text;
}
