import { setTimeout as sleep } from 'node:timers/promises';
import { parseControlNumber } from '../../../src/domain/control-number.ts';
import { MINOR_PER_UNIT } from '../../../src/domain/money.ts';
import { networkById } from '../../../src/domain/network.ts';
import type { Book } from '../core/book.ts';
import type { BillCall, BillSteps, StepReply } from './bill-step.ts';

/**
 * One customer's payment as its network stores it. open: no money was taken. validated: the service agreed.
 * taken: the customer paid, and the service must be notified. kept: the money stays. returned: the service
 * refused it and the customer has the money back.
 */
export type BillPayment = BillCall & {
  /** the book's reference for the money */
  reference: string;
  state: 'open' | 'refused' | 'validated' | 'taken' | 'kept' | 'returned';
  message: string;
};

/** `pending`: the answer is not known yet. */
export type PayOutcome = {
  accepted: boolean;
  message: string;
  receipt: string;
  pending?: true;
  /** the service's words about the bill before payment; '' if the protocol has none */
  bill?: string;
};

const KIND = 'bill-payment';
const UNANSWERED = 'The service has not answered yet; the network goes on asking';
/** Pauses between unanswered notifications; the last one repeats. A restart begins anew. */
const RETRY_DELAYS_MS = [250, 500, 1_000, 2_000, 5_000, 10_000, 30_000];
const RETRIES_MAX = 200;

/** Runs the steps of one payment and stores each result before it reports it. */
export function createBillRunner(options: { book: Book; steps: BillSteps; signal: AbortSignal }) {
  const { book, steps, signal } = options;
  const settling = new Map<string, Promise<PayOutcome>>();

  async function enter(payment: BillPayment, state: BillPayment['state'], message: string): Promise<void> {
    Object.assign(payment, { state, message });
    await book.remember(KIND, keyOf(payment), payment);
  }

  async function notifyUntilAnswered(payment: BillPayment): Promise<PayOutcome> {
    for (let attempt = 0; attempt < RETRIES_MAX && !signal.aborted; attempt += 1) {
      const reply = await steps.notify(payment, signal);
      if (reply.kind !== 'silent') return conclude(payment, reply);
      const delayMs = RETRY_DELAYS_MS[Math.min(attempt, RETRY_DELAYS_MS.length - 1)];
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
    }
    return pendingOf(payment);
  }

  async function conclude(payment: BillPayment, reply: StepReply): Promise<PayOutcome> {
    const returns = networkById(payment.network)?.bill.refusalReturnsMoney ?? true;
    if (reply.kind === 'yes' || !returns) {
      await book.move({
        reference: payment.reference,
        direction: 'in',
        network: payment.network,
        party: payment.party,
        amount: payment.amount / MINOR_PER_UNIT,
        receipt: payment.receipt,
        control_number: parseControlNumber(payment.controlNumber) ?? payment.controlNumber,
      });
      await enter(payment, 'kept', reply.message);
    } else {
      await enter(payment, 'returned', `${reply.message}; the money was given back`);
    }
    return { accepted: reply.kind === 'yes', message: payment.message, receipt: payment.receipt };
  }

  /** Notifies the service until it answers. Concurrent calls share one run. */
  function settle(payment: BillPayment): Promise<PayOutcome> {
    const running = settling.get(keyOf(payment));
    if (running) return running;
    const run = notifyUntilAnswered(payment).finally(() => settling.delete(keyOf(payment)));
    settling.set(keyOf(payment), run);
    return run;
  }

  return {
    enter,
    settle,
    /** The keys are network and receipt. */
    recalled: () => book.recall(KIND) as Map<string, BillPayment>,

    /** Asks before any money is taken. Returns the service's words about the bill if it agrees, else null. */
    async agree(payment: BillPayment): Promise<string | null> {
      let bill = '';
      for (const step of [steps.lookUp, steps.validate]) {
        const reply = await step(payment, signal);
        if (reply.kind === 'yes') {
          bill ||= reply.bill ?? '';
          continue;
        }
        const why = reply.kind === 'silent' ? `${reply.message}; nothing was taken` : reply.message;
        await enter(payment, 'refused', why);
        return null;
      }
      return bill;
    },

    /** Stored before the service is notified: a network killed here still knows whose money it has. */
    async take(payment: BillPayment): Promise<PayOutcome> {
      await enter(payment, 'taken', UNANSWERED);
      return settle(payment);
    },

    /** Notifies again if a decided receipt comes again, perhaps with other content. */
    async tellAgain(payment: BillPayment, call: BillCall): Promise<PayOutcome> {
      const reply = await steps.notify(call, signal);
      if (reply.kind === 'yes' && payment.state === 'returned')
        return conclude(Object.assign(payment, call), reply);
      return { accepted: reply.kind === 'yes', message: reply.message, receipt: call.receipt };
    },

    async idle(): Promise<void> {
      await Promise.allSettled(settling.values());
    },
  };
}

export function keyOf({ network, receipt }: Pick<BillCall, 'network' | 'receipt'>): string {
  return `${network}/${receipt}`;
}

export function pendingOf({
  receipt,
  message = UNANSWERED,
}: {
  receipt: string;
  message?: string;
}): PayOutcome {
  return { accepted: false, message, receipt, pending: true };
}
