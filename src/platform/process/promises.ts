import { setTimeout as pause, setImmediate } from 'node:timers/promises';

/** Returns the work's result or, after `limitMs`, that of `late`. The work itself continues. */
export function inTime<T, L>(work: Promise<T>, limitMs: number, late: () => L): Promise<T | L> {
  const over = new AbortController();
  const tooLate = pause(limitMs, undefined, { signal: over.signal, ref: false }).then(late);
  return Promise.race([work, tooLate]).finally(() => over.abort());
}

/** Returns true if the work resolves. Never rejects. */
export function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

const AT_ONCE = 50;

/** Maps a list and lets other work run in between: ten thousand rows take seconds. */
export async function inTurns<T, R>(list: readonly T[], of: (one: T, at: number) => R): Promise<R[]> {
  const results: R[] = [];
  for (const [at, one] of list.entries()) {
    if (at % AT_ONCE === AT_ONCE - 1) await setImmediate();
    results.push(of(one, at));
  }
  return results;
}
