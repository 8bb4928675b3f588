import type { CallOptions } from '../../domain/channel.ts';
import { describeResult, type HttpClient, type HttpRequest, type HttpResult, isDecided } from './http.ts';
import { notSent, turnedAway } from './unclear.ts';

/** A token or key for a call. `missing` says why there is none. `refused`: access was denied. */
export type Got<T> = { value: T } | Missing;
type Missing = { missing: string; refused?: true };

type Kept<T> = { value: T; validUntil: number };

export const notReady: Missing = { missing: 'not ready in time' };

export type Fresh<T> = {
  get(): Promise<Got<T>>;
  /** Drops a refused value, unless another call has already renewed it. */
  drop(refused: T): void;
};

/** A shared request ends after this time; each caller waits only for its own time-out. */
export const FETCH_TIMEOUT_MS = 15_000;

/** Keeps one value fresh: callers share a request, and renew a refused value once. `now`: ms. */
export function createFresh<T>(now: () => number, fetch: () => Promise<Kept<T> | Missing>): Fresh<T> {
  let kept: Kept<T> | undefined;
  let running: Promise<Got<T>> | undefined;

  async function renew(): Promise<Got<T>> {
    const got = await fetch();
    if ('missing' in got) return got;
    kept = got;
    return { value: got.value };
  }

  return {
    get() {
      if (kept && now() < kept.validUntil) return Promise.resolve({ value: kept.value });
      running ??= renew().finally(() => {
        running = undefined;
      });
      return running;
    },
    drop(refused) {
      if (kept?.value === refused) kept = undefined;
    },
  };
}

/**
 * Renews a token `marginMs` before its end, a short one at half its life. `read` returns null for no token.
 */
export function createToken(
  http: HttpClient,
  now: () => number,
  how: {
    request: Omit<HttpRequest, 'timeoutMs'>;
    marginMs: number;
    read(body: Buffer): { access_token: string; lifeSeconds: number } | null;
  },
): Fresh<string> {
  return createFresh(now, async () => {
    const answer = await http.send({ ...how.request, timeoutMs: FETCH_TIMEOUT_MS });
    const token = answer.kind === 'answer' && answer.status < 300 ? how.read(answer.body) : null;
    if (!token) {
      const missing = `no access token: ${describeResult(answer)}`;
      return isDecided(answer) ? { missing, refused: true } : { missing };
    }
    const lifeMs = token.lifeSeconds * 1000;
    const marginMs = Math.min(how.marginMs, lifeMs / 2);
    return { value: token.access_token, validUntil: now() + lifeMs - marginMs };
  });
}

/**
 * Makes one call with a token. A refused token is renewed and the call repeated once, because the refusal
 * comes before any processing. Without a token, or after two refusals, the payment was not sent. Never
 * rejects.
 */
export async function sendWithToken(
  token: Fresh<string>,
  options: CallOptions,
  how: {
    send(token: string, options: CallOptions): Promise<HttpResult>;
    /** absent if the protocol has no such answer, and only a page shows it */
    isRefused?(answer: HttpResult): boolean;
  },
): Promise<HttpResult> {
  const deadline = performance.now() + options.timeoutMs;
  for (let attempt = 1; ; attempt += 1) {
    const left = { ...options, timeoutMs: deadline - performance.now() };
    const got = await orLate(token.get(), left, notReady);
    if ('missing' in got) return got.refused ? turnedAway(got.missing) : notSent(got.missing);
    const timeoutMs = Math.max(1, Math.ceil(deadline - performance.now()));
    const answer = await how.send(got.value, { ...options, timeoutMs });
    const isPage = answer.kind !== 'answer' && answer.page === 401;
    if (!isPage && !how.isRefused?.(answer)) return answer;
    if (!isPage && attempt > 1) return turnedAway(`our credentials were refused: ${describeResult(answer)}`);
    token.drop(got.value);
    // An unclear page may come after the payout was made, so it is not repeated.
    if (attempt > 1 || (answer.kind === 'broken' && options.sent)) return answer;
  }
}

/** Returns the result of shared work, or `late` once the caller's time is over. */
export async function orLate<T>(work: Promise<T>, { timeoutMs, signal }: CallOptions, late: T): Promise<T> {
  if (timeoutMs <= 0 || signal?.aborted) return late;
  // Use a timer, because Node may collect the sources of AbortSignal.any, and the limit with them.
  let end = () => {};
  const tooLate = new Promise<T>((resolve) => {
    end = () => resolve(late);
  });
  const timer = setTimeout(end, timeoutMs);
  signal?.addEventListener('abort', end, { once: true });
  return Promise.race([work, tooLate]).finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  });
}
