import { type ErrorCode, MalipoError } from './error.ts';
import type { Schemas } from './types.ts';

export type Settings = {
  /** without `/api/v1`, for example `https://pay.example` */
  baseUrl: string;
  apiKey: string;
  /** `sw`: the sentences for people in Swahili; codes stay */
  language?: 'en' | 'sw';
  /** how often a call is sent at most (4) */
  attemptsMax?: number;
  /** of one attempt (30,000) */
  timeoutMs?: number;
  /** before the second attempt; each later pause is twice as long (500) */
  backoffMs?: number;
  /** When the service asks for a longer pause than this, the call ends with the error at once (60,000). */
  pauseMaxMs?: number;
  /** in place of the global one, for a proxy or a test */
  fetch?: typeof fetch;
};

/** One call: the same in every attempt, its key included. */
export type Call = {
  method: string;
  path: string;
  body: string | null;
  idempotencyKey: string | null;
  signal: AbortSignal | undefined;
};

const replayed = new WeakSet<object>();

/** Whether an answer is the first one of its key, or of its payment number, again: nothing new was made. */
export const isReplayed = (answer: object): boolean => replayed.has(answer);

const BACKOFF_MAX_MS = 8_000;
/** 500 to 504: it may work later. Every operation is safe to repeat: by its key, its payment_number, or by its nature. */
const REPEATABLE = new Set([429, 500, 502, 503, 504]);
/** Refusals that are decided only after the key's stored answer was looked for: no attempt before them was carried out. */
const FINAL_REFUSALS = new Set([409, 422]);

/** Sends a call until there is a clear answer or no attempt is left. Throws `MalipoError`, or the reason of `signal`. */
export async function send(call: Call, settings: Settings): Promise<unknown> {
  const { attemptsMax = 4, backoffMs = 500, pauseMaxMs = 60_000 } = settings;
  let outcomeUnknown = false;
  for (let attempt = 1; ; attempt += 1) {
    const result = await attemptOf(call, settings);
    if (result.kind === 'answer') return result.body;
    outcomeUnknown = call.method !== 'GET' && isUnknown(result, outcomeUnknown);
    const backoff = jittered(Math.min(backoffMs * 2 ** (attempt - 1), BACKOFF_MAX_MS));
    const pauseMs = (result.retryAfterMs ?? 0) + backoff;
    if (!result.repeatable || attempt >= attemptsMax || pauseMs > pauseMaxMs)
      throw new MalipoError({ ...result, outcomeUnknown, idempotencyKey: call.idempotencyKey });
    await pause(pauseMs, call.signal);
  }
}

type Failure = {
  kind: 'failure';
  code: ErrorCode;
  message: string;
  status: number | null;
  answer?: Partial<Schemas['ErrorAnswer']>;
  repeatable: boolean;
  retryAfterMs: number | null;
  cause?: unknown;
};

/** Whether this attempt, or one before it, may have been carried out. */
function isUnknown({ status, code }: Failure, before: boolean): boolean {
  if (status === null || code === 'no_answer') return true;
  if (status >= 500) return before || code !== 'unavailable';
  return before && !FINAL_REFUSALS.has(status);
}

async function attemptOf(
  call: Call,
  settings: Settings,
): Promise<{ kind: 'answer'; body: unknown } | Failure> {
  const timeout = AbortSignal.timeout(settings.timeoutMs ?? 30_000);
  const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
  const fetch = settings.fetch ?? globalThis.fetch;
  try {
    const response = await fetch(`${settings.baseUrl.replace(/\/+$/, '')}/api/v1${call.path}`, {
      method: call.method,
      headers: headersOf(call, settings),
      body: call.body,
      // A POST that is redirected would arrive as a GET.
      redirect: 'manual',
      signal,
    });
    return read(response, await response.text());
  } catch (cause) {
    call.signal?.throwIfAborted();
    const why = timeout.aborted ? 'in time' : `(${reasonOf(cause)})`;
    const message = `Malipo did not answer ${why}`;
    return {
      kind: 'failure',
      code: 'no_answer',
      message,
      status: null,
      repeatable: true,
      retryAfterMs: null,
      cause,
    };
  }
}

function headersOf(call: Call, { apiKey, language }: Settings): Record<string, string> {
  return {
    Accept: 'application/json',
    Authorization: `Bearer ${apiKey}`,
    ...(language && { 'Accept-Language': language }),
    ...(call.body !== null && { 'Content-Type': 'application/json' }),
    ...(call.idempotencyKey !== null && { 'Idempotency-Key': call.idempotencyKey }),
  };
}

function read(response: Response, text: string): { kind: 'answer'; body: unknown } | Failure {
  const { status, ok } = response;
  const body = parse(text);
  const retryAfterMs = retryAfterOf(response.headers.get('retry-after'));
  if (ok && body?.success === true) {
    if (response.headers.get('idempotent-replayed') === 'true') replayed.add(body);
    return { kind: 'answer', body };
  }
  if (!ok && typeof body?.code === 'string' && typeof body.message === 'string') {
    const { code, message } = body as Schemas['ErrorAnswer'];
    return {
      kind: 'failure',
      code,
      message,
      status,
      answer: body,
      repeatable: REPEATABLE.has(status),
      retryAfterMs,
    };
  }
  const message = `${status} came back, but not from Malipo: is baseUrl right, and does a proxy stand between?`;
  const repeatable = ok || REPEATABLE.has(status);
  return { kind: 'failure', code: 'no_answer', message, status, repeatable, retryAfterMs };
}

function parse(text: string): Partial<Schemas['ErrorAnswer']> | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Seconds or an HTTP date. */
function retryAfterOf(value: string | null): number | null {
  if (value === null) return null;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(waitMs) ? null : Math.max(waitMs, 0);
}

/** Half of it for certain, so that many clients do not come back in the same moment. */
function jittered(ms: number): number {
  return ms * (0.5 + Math.random() / 2);
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string }; message?: string };
  return cause?.code ?? message ?? String(error);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
