import { setTimeout as pause } from 'node:timers/promises';

/** The result of the work or, after `limitMs`, that of `late`. The work itself goes on. */
export function inTime<T, L>(work: Promise<T>, limitMs: number, late: () => L): Promise<T | L> {
  const over = new AbortController();
  const tooLate = pause(limitMs, undefined, { signal: over.signal, ref: false }).then(late);
  return Promise.race([work, tooLate]).finally(() => over.abort());
}

/** Whether the work resolves. Never rejects. */
export function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
