/** Aborts after `timeoutMs`, or with `signal`. Node 20 may collect an unused timeout (node#57736). */
export function within(timeoutMs: number, signal?: AbortSignal): AbortSignal {
  const limit = AbortSignal.timeout(timeoutMs);
  if (!signal) return limit;
  // A listener keeps the timeout alive until it fires.
  limit.addEventListener('abort', () => {});
  return AbortSignal.any([signal, limit]);
}
