const NOTED_EVERY_MS = 60_000;
/** Bounds the memory. If a key is forgotten, its next use is recorded again: that is harmless. */
const REMEMBERED_MAX = 10_000;

/** Records a use at most once a minute per key and process. No request waits for it or fails with it. */
export function createLastUsed(
  note: (id: string) => Promise<unknown>,
  now: () => number = Date.now,
): (id: string) => void {
  const notedAt = new Map<string, number>();
  return (id) => {
    const at = notedAt.get(id);
    if (at !== undefined && now() - at < NOTED_EVERY_MS) return;
    if (notedAt.size >= REMEMBERED_MAX) notedAt.clear();
    notedAt.set(id, now());
    note(id).catch(() => notedAt.delete(id));
  };
}
