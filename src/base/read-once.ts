/** Gives all callers within `freshMs` the result of one read. After a failure the next caller reads again. */
export function readOnce<T>(
  read: () => Promise<T>,
  { freshMs, now = () => performance.now() }: { freshMs: number; now?: () => number },
): () => Promise<T> {
  let reading: Promise<T> | null = null;
  let last: { value: T; at: number } | null = null;
  return async () => {
    if (last && now() - last.at < freshMs) return last.value;
    reading ??= read()
      .then((value) => {
        last = { value, at: now() };
        return value;
      })
      .finally(() => {
        reading = null;
      });
    return reading;
  };
}
