import { setTimeout as pause } from 'node:timers/promises';

/** Tries until it works. After `deadlineMs` throws one sentence with the last reason. */
export async function retryUntil<T>(
  attempt: () => Promise<T>,
  options: { deadlineMs: number; what: string },
): Promise<T> {
  const start = performance.now();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() - start > options.deadlineMs)
        throw new Error(`${options.what}: ${(error as Error).message}`, { cause: error });
    }
    await pause(100);
  }
}
