import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import { breakConnection } from './body.ts';
import type { NewOrder, Order } from './order.ts';
import type { RailContext } from './rail.ts';

/** Ending 189 answers at most this long after its notification. */
const ANSWER_WAIT_MS_MAX = 5_000;

export type Words = {
  /** `done` resolves when all its steps are done */
  taken(order: Order, done: Promise<void>): void | Promise<void>;
  duplicate(order: Order): void;
  /** the server failed although the money moved */
  broken(): void;
};

/** Records a request for money and answers as its ending says: normally, late, or not at all. */
export async function takeOrder(
  context: Context,
  { orders, timing }: RailContext,
  asked: { wanted: NewOrder; returns?: boolean; repeats?: boolean; say: Words },
): Promise<void> {
  const { wanted, returns = false, repeats = false, say } = asked;
  const reception = await orders.receive(wanted, { returns, repeats });
  if (reception.kind === 'dropped') return breakConnection(context);
  if (reception.kind === 'duplicate') return say.duplicate(reception.order);
  const { order, answer, done } = reception;
  if (answer === 'late') await pause(timing.slowAnswerMs);
  if (answer === 'after_steps') await Promise.race([done, pause(ANSWER_WAIT_MS_MAX)]);
  if (answer === 'break' || answer === 'server_error') await done;
  if (answer === 'break') return breakConnection(context);
  if (answer === 'server_error') return say.broken();
  await say.taken(order, done);
}

/** Does not keep the process alive. */
export const pause = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false });
