import { setTimeout as sleep } from 'node:timers/promises';
import type { Book } from './book.ts';
import type { Notify, Order } from './order.ts';
import { type Step, stepsAfterAnswer } from './scenario.ts';
import type { Ask } from './wire-log.ts';

/** How often a step that waits for an enquiry checks again. */
const GATE_MS = 60_000;

type Change = Extract<Step, { do: 'succeed' | 'fail' | 'return' }>;

/** Runs orders' steps. The book stores the remaining steps after each one, so any step may run again. */
export function createRunner(options: {
  book: Book;
  ask: Ask;
  notifierOf: (rail: string) => Notify | undefined;
  keep: (order: Order) => Promise<void>;
}) {
  const { book, keep } = options;
  const wakers = new Map<string, () => void>();
  const stop = new AbortController();
  const running = new Set<Promise<void>>();

  /** Resolves at the time, or earlier when the order is woken. */
  async function until(order: Order, time: number): Promise<void> {
    const woken = new AbortController();
    wakers.set(order.id, () => woken.abort());
    const signal = AbortSignal.any([stop.signal, woken.signal]);
    await sleep(Math.max(0, time - Date.now()), undefined, { signal }).catch(() => undefined);
    wakers.delete(order.id);
  }

  async function perform(order: Order, step: Step): Promise<void> {
    if (step.do === 'wait') {
      await until(order, order.waitUntil ?? Date.now());
    } else if (step.do === 'ask') {
      // A person answered: `answerPrompt` has added the next steps.
      if (order.steps.length === 1) await until(order, order.expiresAt);
      if (order.steps.length === 1 && !stop.signal.aborted) order.steps.push(...stepsAfterAnswer('expire'));
    } else if (step.do === 'await_failed_enquiry') {
      while (!order.failureSeen && !stop.signal.aborted) await until(order, Date.now() + GATE_MS);
    } else if (step.do === 'notify') {
      const notify = options.notifierOf(order.rail);
      for (let i = 0; i < step.times; i += 1)
        await notify?.(order, { signal: stop.signal, ask: options.ask });
    } else {
      await change(order, step);
    }
  }

  async function change(order: Order, step: Change): Promise<void> {
    if (step.do === 'fail') {
      Object.assign(order, { state: 'failed', refusal: step.refusal, settledAt: Date.now() });
    } else if (step.do === 'succeed') {
      const { reference, direction, network, party, receipt } = order;
      const amount = order.amount + step.surplus;
      const moved = await book.move({ reference, direction, network, party, amount, receipt });
      Object.assign(order, {
        state: 'succeeded',
        refusal: null,
        movedAmount: moved.amount,
        settledAt: Date.now(),
      });
    } else {
      Object.assign(order, { returned: true, returnedAt: Date.now() });
    }
  }

  async function run(order: Order): Promise<void> {
    for (let step = order.steps[0]; step; step = order.steps[0]) {
      await perform(order, step);
      if (stop.signal.aborted) return;
      order.steps.shift();
      setClock(order);
      // The book has a wait's end since it began, so a finished wait needs no line.
      if (step.do !== 'wait') await keep(order);
    }
  }

  /** A wait's end is fixed at its beginning, so that a restart does not prolong it. */
  function setClock(order: Order): void {
    const step = order.steps[0];
    order.waitUntil = step?.do === 'wait' ? Date.now() + step.ms : null;
  }

  return {
    setClock,
    /** Resolves when all steps are done, or the runner stops. */
    start(order: Order): Promise<void> {
      const task = run(order).finally(() => running.delete(task));
      running.add(task);
      return task;
    },
    wake: (order: Order) => wakers.get(order.id)?.(),
    async close(): Promise<void> {
      stop.abort();
      await Promise.allSettled(running);
    },
  };
}
