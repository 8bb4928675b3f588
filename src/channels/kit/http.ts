import type { IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { within } from '../../base/within.ts';
import { causesOf } from '../../domain/causes.ts';
import type { NotSent, Sent } from '../../domain/channel.ts';
import { inSpan, kinds } from '../../platform/trace/span.ts';
import { memberTwice } from './member-twice.ts';
import { type Page, type Pages, readPage } from './page.ts';
import { createDial, type Reach } from './reach.ts';

/** No call is retried or redirected, which could move money twice. */
export type HttpResult =
  | { kind: 'answer'; status: number; headers: IncomingHttpHeaders; body: Buffer }
  /** provably no byte of the request left us */
  | (NotSent & Page)
  /** the other side may have received any part of it */
  | ({ kind: 'broken'; detail: string } & Page);

export type HttpRequest = {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  headers: Record<string, string>;
  body?: string | Buffer | undefined;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  sent?: Sent | undefined;
};

export type HttpClient = {
  /** Never rejects. */
  send(request: HttpRequest): Promise<HttpResult>;
  close(): Promise<void>;
};

/** Answers of networks and banks are small; a longer one is `broken`. */
const ANSWER_BYTES_MAX = 256 * 1024;
const HEADER_BYTES_MAX = 64 * 1024;
const CONNECT_TIMEOUT_MS = 5_000;
/** Known servers keep idle connections longer, so a send seldom meets a closing one. */
const KEEP_ALIVE_MS = 4_000;

/** A 5xx or 408 proves nothing about a request, whatever the body says. */
export function saysNothing(status: number): boolean {
  return status >= 500 || status === 408;
}

/** Returns true if the other side decided: it answered or refused. */
export function isDecided(result: HttpResult): boolean {
  return result.kind === 'answer' ? !saysNothing(result.status) : result.refused !== undefined;
}

export function describeResult(result: HttpResult): string {
  return result.kind === 'answer' ? `HTTP ${result.status}` : `${result.kind} ${result.detail}`;
}

type Options = {
  /** absent: over the internet, with the public certificate authorities */
  reach?: Reach | undefined;
  /** absent: every page counts as an answer */
  pages?: Pages;
  connectTimeoutMs?: number;
  connectionsMax?: number;
  /** one line per call: method, path, result and duration */
  log?: { info(facts: object, message: string): void };
};

export function createHttpClient(options: Options = {}): HttpClient {
  // Only an error while a connection opens proves that nothing left us. A later reset does not, even on a new
  // connection, nor does our own time-out.
  const unopened = new WeakSet<object>();
  const { reach = {}, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const agent = new Agent({
    connect: createDial(reach, connectTimeoutMs, (error) => unopened.add(error)),
    connections: options.connectionsMax ?? 128,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxResponseSize: ANSWER_BYTES_MAX,
    maxHeaderSize: HEADER_BYTES_MAX,
    pipelining: 1,
  });

  async function send(call: HttpRequest): Promise<HttpResult> {
    const started = performance.now();
    const facts = { 'http.request.method': call.method, 'url.path': pathForLog(call.url) };
    const result = await inSpan({ name: 'channel call', kind: kinds.client, facts }, async (span) => {
      const answered = await once(call);
      if (answered.kind === 'answer') span.setAttribute('http.response.status_code', answered.status);
      else span.setAttribute('malipo.result', answered.kind);
      return answered;
    });
    const end = result.kind === 'answer' ? { status: result.status } : { result: result.kind };
    const why = result.kind === 'broken' ? { why: result.detail } : {};
    const ms = Math.round(performance.now() - started);
    options.log?.info(
      { method: call.method, path: pathForLog(call.url), ...end, ...why, ms },
      'channel call',
    );
    return result;
  }

  async function once({
    method,
    url,
    headers,
    body,
    timeoutMs,
    signal,
    sent,
  }: HttpRequest): Promise<HttpResult> {
    if (signal?.aborted) return { kind: 'not_sent', detail: 'cancelled before it was sent' };
    try {
      const answer = await request(url, {
        dispatcher: agent,
        method,
        headers: { 'accept-encoding': 'identity', ...hostOf(reach), ...headers },
        body: body ?? null,
        signal: within(timeoutMs, signal),
      });
      const bytes = unpacked(Buffer.from(await answer.body.arrayBuffer()), answer.headers);
      const twice = memberTwice(bytes);
      if (twice !== null) return { kind: 'broken', detail: `the member ${twice} stands twice in its answer` };
      const whole = {
        kind: 'answer',
        status: answer.statusCode,
        headers: answer.headers,
        body: bytes,
      } as const;
      return options.pages ? readPage(whole, sent, options.pages) : whole;
    } catch (error) {
      if (unopened.has(error as object)) return { kind: 'not_sent', detail: causesOf(error) };
      return {
        kind: 'broken',
        detail: `${isNoHttp(error) ? 'its answer is not HTTP: ' : ''}${causesOf(error)}`,
      };
    }
  }

  return { send, close: () => agent.destroy() };
}

function hostOf({ host, serverName }: Reach): Record<string, string> {
  return host && serverName !== undefined ? { host: serverName } : {};
}

/** Unpacks, because some servers compress unasked. Throws if the bytes are no gzip, or too long. */
function unpacked(bytes: Buffer, headers: IncomingHttpHeaders): Buffer {
  const isPacked = /^(x-)?gzip$/i.test(String(headers['content-encoding'] ?? ''));
  return isPacked ? gunzipSync(bytes, { maxOutputLength: ANSWER_BYTES_MAX }) : bytes;
}

/** Returns true for errors of the parser, and of the unpacker for a long answer. */
function isNoHttp(error: unknown): boolean {
  const { code = '', message = '', name = '' } = error as NodeJS.ErrnoException;
  return (
    name === 'HTTPParserError' ||
    /HEADERS_OVERFLOW|CONTENT_LENGTH|^Z_|^ERR_BUFFER_TOO_LARGE/.test(code) ||
    message === 'bad response'
  );
}

/** Masks phone and account numbers in paths. A query is left out. */
const NUMBER = /\d{6,}/;
const SEGMENT_CHARACTERS_MAX = 40;

function pathForLog(url: string): string {
  const segments = URL.parse(url)?.pathname.split('/') ?? [];
  return segments
    .map((one) => (NUMBER.test(one) || one.length > SEGMENT_CHARACTERS_MAX ? '…' : one))
    .join('/');
}
