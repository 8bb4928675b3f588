/**
 * Aborted after so long, or with `signal`. `AbortSignal.any` holds its sources weakly: in Node 20 a time-out to which nobody
 * else listens is collected, and never comes (nodejs/node#57736).
 */
export function within(timeoutMs: number, signal?: AbortSignal): AbortSignal {
  const limit = AbortSignal.timeout(timeoutMs);
  if (!signal) return limit;
  // What is listened to is kept until it fires.
  limit.addEventListener('abort', () => {});
  return AbortSignal.any([signal, limit]);
}
