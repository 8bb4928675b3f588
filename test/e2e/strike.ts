import type { Gateway } from '../support/gateway.ts';
import { until } from '../support/wait.ts';

export type Part = Parameters<Gateway['pidOf']>[0];
type Blow = { part: Part; signal?: NodeJS.Signals; wellWithinMs?: number };

/** Kills a part and waits until the supervisor has brought it back and all is well. */
export async function strike(gateway: Gateway, blow: Blow): Promise<void> {
  const { part, signal = 'SIGKILL', wellWithinMs = 30_000 } = blow;
  const before = await gateway.pidOf(part);
  process.kill(before, signal);
  await until(async () => (await gateway.pidOf(part)) !== before, `${part} is started again`);
  await until(async () => (await gateway.request('GET', 'status')).status === 200, {
    deadlineMs: wellWithinMs,
    what: `the service is well after ${signal} for ${part}`,
    everyMs: 100,
  });
}
