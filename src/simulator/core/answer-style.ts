import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import { breakConnection } from './body.ts';
import type { Reception } from './order.ts';
import type { SimulatorTiming } from './scenario.ts';

/** Ending 189 answers when its notification was taken, at most this much later. */
const ANSWER_WAIT_MS_MAX = 5_000;

/**
 * Waits until what asked for money is to be answered, as its ending wants: `answer` or `server_error`, in the words of the
 * protocol. `gone`: the connection is broken, and nothing is said.
 */
export async function untilAnswer(
  context: Context,
  { answer, done }: Extract<Reception, { kind: 'recorded' }>,
  timing: SimulatorTiming,
): Promise<'answer' | 'server_error' | 'gone'> {
  if (answer === 'late') await pause(timing.slowAnswerMs);
  if (answer === 'after_steps') await Promise.race([done, pause(ANSWER_WAIT_MS_MAX)]);
  if (answer === 'break' || answer === 'server_error') await done;
  if (answer === 'server_error') return 'server_error';
  if (answer !== 'break') return 'answer';
  breakConnection(context);
  return 'gone';
}

/** Nothing waits for it: the process may end meanwhile. */
export const pause = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false });
