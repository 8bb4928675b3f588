import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until `condition` gives something truthy and returns it. Throws after `deadlineMs`, saying what did not
 * happen and the last error of the condition, if it threw.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  options: { deadlineMs: number; what: string; everyMs?: number },
): Promise<NonNullable<T>> {
  const start = performance.now();
  for (;;) {
    let failure: unknown;
    try {
      const value = await condition();
      if (value) return value;
    } catch (error) {
      failure = error;
    }
    if (performance.now() - start >= options.deadlineMs) {
      throw new Error(`within ${options.deadlineMs} ms this did not happen: ${options.what}`, {
        cause: failure,
      });
    }
    await pause(options.everyMs ?? 20);
  }
}
