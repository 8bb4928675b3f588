import { randomUUID } from 'node:crypto';
import type { Book } from './book.ts';
import type { NewOrder, Notify, Order, Reception } from './order.ts';
import { createRunner } from './order-runner.ts';
import { newReceipt } from './receipt.ts';
import { type SimulatorTiming, scenarioOf, stepsAfterAnswer } from './scenario.ts';
import { balanceOf } from './wallet.ts';
import type { Ask } from './wire-log.ts';

/** The book stores a request before it is answered; its steps resume at the next start. */
export type Orders = ReturnType<typeof createOrders>;

const KIND = 'order';
const DROPPED = 'dropped';
const BY_HAND = 'by-hand';

/** `returns`: the rail supports returns. `repeats`: a reference may come again with another client id. */
export type Rules = { returns: boolean; repeats?: boolean };

export function createOrders(options: {
  book: Book;
  timing: SimulatorTiming;
  ask: Ask;
  /** true: by hand from the start, whatever the book says */
  manual: boolean;
}) {
  const { book, timing, ask } = options;
  const notifiers = new Map<string, Notify>();
  const known = createIndex();
  const dropped = new Set(book.recall(DROPPED).keys());
  const keep = (order: Order) => book.remember(KIND, order.id, order);
  const runner = createRunner({ book, keep, ask, notifierOf: (rail) => notifiers.get(rail) });
  for (const order of book.recall(KIND).values()) known.add(order as Order);
  let manual = options.manual || book.recall(BY_HAND).get(BY_HAND) === true;

  return {
    all: () => [...known.all()],
    byId: known.byId,
    byClientId: known.byClientId,
    byReference: known.byReference,
    byReceipt: known.byReceipt,

    /** Registers how a rail notifies, and resumes its open requests. */
    attach(rail: string, notify: Notify): void {
      notifiers.set(rail, notify);
      for (const order of known.all()) {
        if (order.rail === rail && order.steps.length > 0) void runner.start(order);
      }
    },

    /** Takes a request. Resolves after the book stored it. */
    async receive(wanted: NewOrder, rules: Rules): Promise<Reception> {
      const { rail, clientId, reference } = wanted;
      const { repeats = false, ...how } = rules;
      const seen =
        known.byClientId(rail, clientId) ?? (repeats ? undefined : known.byReference(rail, reference));
      if (seen) return { kind: 'duplicate', order: seen };
      const { direction } = wanted;
      const scenario = scenarioOf(wanted.party, { ...timing, ...how, direction, manual });
      const key = `${wanted.rail}:${wanted.reference}`;
      if (scenario.answer === 'drop_first' && !dropped.has(key)) {
        dropped.add(key);
        await book.remember(DROPPED, key, true);
        return { kind: 'dropped' };
      }
      const order = begin(wanted, { steps: [...scenario.steps], promptMs: timing.promptMs });
      runner.setClock(order);
      known.add(order);
      await keep(order);
      return { kind: 'recorded', order, answer: scenario.answer, done: runner.start(order) };
    },

    /** The rail answered an enquiry with this failure: steps that waited for it continue. */
    async noteFailureSeen(order: Order): Promise<void> {
      if (order.failureSeen) return;
      order.failureSeen = true;
      await keep(order);
      if (order.steps[0]?.do === 'await_failed_enquiry') runner.wake(order);
    },

    isByHand: () => manual,

    /** Applies from the next payment on. An open prompt still waits for its person. */
    async setByHand(byHand: boolean): Promise<void> {
      await book.remember(BY_HAND, BY_HAND, byHand);
      manual = byHand;
    },

    /** Lists prompts that wait for a person, oldest first. */
    prompts(party?: string): Order[] {
      return [...known.all()].filter(
        (order) => isOpenPrompt(order) && (party === undefined || order.party === party),
      );
    },

    /** The customer's answer; false if the prompt is not open. With too little money the payment fails. */
    async answerPrompt(order: Order, answer: 'approve' | 'decline'): Promise<boolean> {
      if (!isOpenPrompt(order) || Date.now() >= order.expiresAt) return false;
      const cannotPay = answer === 'approve' && balanceOf(book, order.party) < order.amount;
      order.steps.push(...stepsAfterAnswer(cannotPay ? 'cannot_pay' : answer));
      await keep(order);
      runner.wake(order);
      return true;
    },

    close: () => runner.close(),
  };
}

/** A prompt is open until steps follow its `ask`. */
function isOpenPrompt(order: Order): boolean {
  return order.steps[0]?.do === 'ask' && order.steps.length === 1;
}

function begin(wanted: NewOrder, start: { steps: Order['steps']; promptMs: number }): Order {
  const now = Date.now();
  return {
    id: randomUUID(),
    currency: 'TZS',
    callbackUrl: null,
    receipt: newReceipt(),
    detail: {},
    ...wanted,
    receivedAt: now,
    expiresAt: now + start.promptMs,
    state: 'pending',
    refusal: null,
    settledAt: null,
    movedAmount: null,
    returned: false,
    failureSeen: false,
    steps: start.steps,
    waitUntil: null,
  };
}

function createIndex() {
  const ids = new Map<string, Order>();
  const others = new Map<string, Order>();
  const find = (field: string) => (rail: string, value: string) => others.get(`${rail}:${field}:${value}`);
  return {
    add(order: Order): void {
      ids.set(order.id, order);
      for (const field of ['clientId', 'reference', 'receipt'] as const)
        others.set(`${order.rail}:${field}:${order[field]}`, order);
    },
    all: () => ids.values(),
    byId: (id: string) => ids.get(id),
    byClientId: find('clientId'),
    byReference: find('reference'),
    byReceipt: find('receipt'),
  };
}
