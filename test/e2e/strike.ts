import assert from 'node:assert/strict';
import type { Gateway } from '../support/gateway.ts';
import { until } from '../support/wait.ts';

export type Part = Parameters<Gateway['pidOf']>[0];
type Blow = { part: Part; signal?: NodeJS.Signals; wellWithinMs?: number };
/** What goes on under blows. `count`: how often it was done; after each blow `least` more, within that time. */
export type Going = {
  what: string;
  count(): number;
  least: number;
  withinMs: number;
  done: Promise<unknown>;
};

/** Kills a part and waits until the supervisor has brought it back and all is well. */
export async function strike(gateway: Gateway, blow: Blow): Promise<void> {
  const { part, signal = 'SIGKILL', wellWithinMs = 30_000 } = blow;
  const before = await gateway.pidOf(part);
  process.kill(before, signal);
  await until(async () => (await gateway.pidOf(part)) !== before, `${part} is started again`);
  await until(async () => (await gateway.request('GET', 'status')).status === 200, {
    deadlineMs: wellWithinMs,
    what: `the service is well after ${signal} for ${part}`,
  });
}

/** Strikes, and waits until all of it goes on. */
export async function strikeUnder(going: readonly Going[], gateway: Gateway, blow: Blow): Promise<void> {
  await strike(gateway, blow);
  await Promise.all(
    going.map(({ what, count, least, withinMs, done }) => {
      const before = count();
      const goesOn = until(() => count() >= before + least, {
        deadlineMs: withinMs,
        what: `${what} go on after the death of ${blow.part}`,
      });
      return Promise.race([goesOn, done.then(() => assert.fail(`${what} are over`))]);
    }),
  );
}
