/** One caller has at most this many requests to Temporal in flight. */
const AT_ONCE_MAX = 16;

/** Works on the items in order, 16 at a time. Rejects with the first error; begun items continue. */
export async function workAtOnce<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  atOnce = AT_ONCE_MAX,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
