import { request } from 'undici';
import { inEnglish } from '../domain/messages.ts';
import { AddressNotPublic, type UrlPolicy } from './guard-url.ts';
import { createPlaces } from './places.ts';

const RESPONSE_BYTES_MAX = 64 * 1024;
const RETRY_AFTER_MAX_MS = 24 * 3_600_000;

export type Sent = {
  /** null: no answer */
  httpStatus: number | null;
  /** why no answer came, in words for the merchant; null after any answer */
  error: string | null;
  durationMs: number;
  /** the receiver's Retry-After, at most 24 h */
  retryAfterMs: number | null;
};

/** The URL has no free place: nothing was sent, try again in `afterMs`. */
export type Busy = { busy: true; afterMs: number };

export type CallbackSender = {
  /** POSTs the exact bytes once. Never throws. */
  send(message: CallbackMessage): Promise<Sent | Busy>;
};

type CallbackMessage = { url: string; body: string; headers: Record<string, string> };

/**
 * Sends callbacks, without redirects or proxy (undici reads none from the environment). One time limit covers
 * name, connection, request and answer. places.ts allows at most `inFlightMaxPerUrl` attempts per URL and
 * `inFlightMax` in this process.
 */
export function createCallbackSender(settings: {
  policy: UrlPolicy;
  userAgent: string;
  timeoutMs?: number;
  inFlightMaxPerUrl?: number;
  inFlightMax?: number;
}): CallbackSender {
  const { policy, userAgent, timeoutMs = 15_000, inFlightMaxPerUrl = 5, inFlightMax = 2_000 } = settings;
  const places = createPlaces({ perUrlMax: inFlightMaxPerUrl, totalMax: inFlightMax });

  return {
    async send(message) {
      const problem = policy.check(message.url);
      if (problem !== null)
        return { ...unanswered(`the callback address ${inEnglish(problem)}`), durationMs: 0 };
      const place = await places.take(receiverOf(message.url));
      if ('afterMs' in place) return { busy: true, afterMs: place.afterMs };
      const start = performance.now();
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const answer = await post(message, { policy, userAgent, signal, timeoutMs });
        return { ...answer, durationMs: Math.round(performance.now() - start) };
      } finally {
        place.leave({ hung: signal.aborted });
      }
    },
  };
}

/** URLs that differ only after # are the same receiver. */
function receiverOf(text: string): string {
  const url = new URL(text);
  url.hash = '';
  return url.href;
}

async function post(
  message: CallbackMessage,
  settings: { policy: UrlPolicy; userAgent: string; signal: AbortSignal; timeoutMs: number },
): Promise<Omit<Sent, 'durationMs'>> {
  const { policy, userAgent, signal, timeoutMs } = settings;
  const sending = request(message.url, {
    method: 'POST',
    dispatcher: policy.dispatcher,
    headers: { 'Content-Type': 'application/json', 'User-Agent': userAgent, ...message.headers },
    body: Buffer.from(message.body, 'utf8'),
    signal,
  });
  try {
    // undici reads the signal only after it connects, and then sends nothing more.
    const response = await Promise.race([sending, rejectOnAbort(signal)]);
    await drop(response.body);
    const retryAfter = response.headers['retry-after'];
    return {
      httpStatus: response.statusCode,
      error: null,
      retryAfterMs: parseRetryAfter(typeof retryAfter === 'string' ? retryAfter : undefined, Date.now()),
    };
  } catch (error) {
    sending.catch(() => {});
    if (signal.aborted) return unanswered(`no answer within ${timeoutMs / 1000} s`);
    return unanswered(describe(error));
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function unanswered(error: string): Omit<Sent, 'durationMs'> {
  return { httpStatus: null, error, retryAfterMs: null };
}

/** Reads part of the body, to reuse the connection. Only the status counts. */
async function drop(body: AsyncIterable<Buffer>): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      // Leaving the loop destroys the stream and its connection.
      if (bytes > RESPONSE_BYTES_MAX) return;
    }
  } catch {
    // The receiver has answered; an error in its body does not matter.
  }
}

/** Reads `Retry-After` (seconds or an HTTP date) as milliseconds, at most 24 h, or null. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  const date = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  const waitMs = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : date - nowMs;
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), RETRY_AFTER_MAX_MS);
}

const SENTENCES: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was broken',
  UND_ERR_SOCKET: 'the connection was broken',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name could not be resolved',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  UND_ERR_CONNECT_TIMEOUT: 'the connection was not answered in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  ETIMEDOUT: 'the connection was not answered in time',
  UND_ERR_HEADERS_OVERFLOW: 'the answer had too many headers',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is of an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'an intermediate certificate is missing',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is of an unknown authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name',
};

/** The merchant reads this in the delivery log. The error's text has our addresses, so its code decides. */
function describe(error: unknown): string {
  if (error instanceof AddressNotPublic) return error.message;
  const code = (error as { code?: unknown }).code;
  if (typeof code !== 'string') return 'the request failed';
  return SENTENCES[code] ?? `the request failed (${code})`;
}
