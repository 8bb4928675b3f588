/** Requests to Temporal in flight at once, where there are many to make. */
const AT_ONCE_MAX = 16;

/** Works on all items in their order, some at once. Rejects with the first error of one; the others go on. */
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
