import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'undici';
import { within } from '../../base/within.ts';
import { causesOf } from '../../domain/causes.ts';
import { inSpan, kinds } from '../../platform/trace/span.ts';
import { createDial, type Reach } from './reach.ts';

/**
 * One HTTP call of a channel. The three results are what a payment needs to know: nothing left us, something may have
 * left us, or the other side answered. There are no retries and no redirects: both could move money twice.
 */
export type HttpResult =
  | { kind: 'answer'; status: number; headers: IncomingHttpHeaders; body: Buffer }
  /** proven that no byte of the request left us */
  | { kind: 'not_sent'; detail: string }
  /** anything after that: what the other side has seen is not known */
  | { kind: 'broken'; detail: string };

export type HttpRequest = {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  headers: Record<string, string>;
  body?: string | Buffer | undefined;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
};

export type HttpClient = {
  /** Never rejects. */
  send(request: HttpRequest): Promise<HttpResult>;
  close(): Promise<void>;
};

/** Answers of networks and banks are small; a longer one is `broken`. */
const ANSWER_BYTES_MAX = 256 * 1024;
const CONNECT_TIMEOUT_MS = 5_000;
/** Shorter than the idle time of the servers we know, so that a send seldom meets a closing connection. */
const KEEP_ALIVE_MS = 4_000;

/** A 5xx and a 408 say nothing of what became of a request, whatever their body says. */
export function saysNothing(status: number): boolean {
  return status >= 500 || status === 408;
}

/** For the log: how a call ended, without its content. */
export function describeResult(result: HttpResult): string {
  return result.kind === 'answer' ? `HTTP ${result.status}` : `${result.kind} ${result.detail}`;
}

type Options = {
  /** the way there; left out: over the internet, with the public authorities */
  reach?: Reach | undefined;
  connectTimeoutMs?: number;
  connectionsMax?: number;
  /** gets one line per call: method, path, how it ended and how long it took */
  log?: { info(facts: object, message: string): void };
};

/** A client with sockets of its own. `log` gets one line per call. */
export function createHttpClient(options: Options = {}): HttpClient {
  // Only an error of opening a connection proves that nothing left us. A reset later on is no proof, not even on a new
  // connection, and neither is a time-out of ours that struck while one was opening.
  const unopened = new WeakSet<object>();
  const { reach = {}, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const agent = new Agent({
    connect: createDial(reach, connectTimeoutMs, (error) => unopened.add(error)),
    connections: options.connectionsMax ?? 128,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxResponseSize: ANSWER_BYTES_MAX,
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
    const ms = Math.round(performance.now() - started);
    options.log?.info({ method: call.method, path: pathForLog(call.url), ...end, ms }, 'channel call');
    return result;
  }

  async function once({ method, url, headers, body, timeoutMs, signal }: HttpRequest): Promise<HttpResult> {
    if (signal?.aborted) return { kind: 'not_sent', detail: 'cancelled before it was sent' };
    try {
      const answer = await request(url, {
        dispatcher: agent,
        method,
        // Without this header a server may answer gzip, which nobody here unpacks.
        headers: { 'accept-encoding': 'identity', ...headers },
        body: body ?? null,
        signal: within(timeoutMs, signal),
      });
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      return { kind: 'answer', status: answer.statusCode, headers: answer.headers, body: bytes };
    } catch (error) {
      return { kind: unopened.has(error as object) ? 'not_sent' : 'broken', detail: causesOf(error) };
    }
  }

  return { send, close: () => agent.destroy() };
}

/** Phone and account numbers stand in paths, codes that only the network knows may; a query is left out altogether. */
const NUMBER = /\d{6,}/;
const SEGMENT_CHARACTERS_MAX = 40;

function pathForLog(url: string): string {
  const segments = URL.parse(url)?.pathname.split('/') ?? [];
  return segments
    .map((one) => (NUMBER.test(one) || one.length > SEGMENT_CHARACTERS_MAX ? '…' : one))
    .join('/');
}
