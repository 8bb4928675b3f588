import { setTimeout as pause } from 'node:timers/promises';

/** A deadline says what a quiet machine needs; a busy one gets this much more, because only a hang is to be found. */
const PATIENCE = 3;

/** How long most things may take. */
const DEADLINE_MS = 60_000;

/** What comes soon is seen soon; what takes long is asked for seldom. */
const pauseAfter = (waitedMs: number) => Math.min(500, 20 + waitedMs / 20);

/**
 * Waits until `condition` gives something truthy and returns it. Throws after `deadlineMs` (more on a busy machine),
 * saying what did not happen and the last error of the condition, if it threw.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  wanted: string | { what: string; deadlineMs: number; everyMs?: number },
): Promise<NonNullable<T>> {
  const given = typeof wanted === 'string' ? { what: wanted, deadlineMs: DEADLINE_MS } : wanted;
  const deadlineMs = PATIENCE * given.deadlineMs;
  const start = performance.now();
  for (;;) {
    let failure: unknown;
    try {
      const value = await condition();
      if (value) return value;
    } catch (error) {
      failure = error;
    }
    const waitedMs = performance.now() - start;
    if (waitedMs >= deadlineMs)
      throw new Error(`within ${deadlineMs} ms this did not happen: ${given.what}`, { cause: failure });
    await pause(given.everyMs ?? pauseAfter(waitedMs));
  }
}

/** Promise.withResolvers, which Node 20 does not have. */
export function withResolvers<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
