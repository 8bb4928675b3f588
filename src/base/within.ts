/** Aborts after so long, or with `signal`. Node 20 collects a time-out that nobody holds (node#57736). */
export function within(timeoutMs: number, signal?: AbortSignal): AbortSignal {
  const limit = AbortSignal.timeout(timeoutMs);
  if (!signal) return limit;
  // What is listened to is kept until it fires.
  limit.addEventListener('abort', () => {});
  return AbortSignal.any([signal, limit]);
}
