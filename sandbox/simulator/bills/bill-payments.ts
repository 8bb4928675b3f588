import { setTimeout as sleep } from 'node:timers/promises';
import type { Book } from '../core/book.ts';
import { type BillPayment, createBillRunner, keyOf, type PayOutcome, pendingOf } from './bill-runner.ts';
import type { BillCall, BillSteps } from './bill-step.ts';

/** `validate` stops before money moves; `notify` skips the step before. */
export type StepOption = 'validate' | 'notify' | undefined;
export type BillPayments = ReturnType<typeof createBillPayments>;

/** Stores payments durably and moves each receipt's money at most once. Without `steps` nobody can pay. */
export function createBillPayments(options: { book: Book; steps: BillSteps | null; waitMs: number }) {
  const { steps, waitMs } = options;
  if (steps === null) return null;
  const stop = new AbortController();
  const runner = createBillRunner({ book: options.book, steps, signal: stop.signal });
  const payments = runner.recalled();
  /** a reference of the book may belong to another payment: networks may use the same receipt */
  const owners = new Map([...payments].map(([key, { reference }]) => [reference, key]));
  for (const payment of payments.values()) if (payment.state === 'taken') void runner.settle(payment);

  function begin(call: BillCall): BillPayment {
    const key = keyOf(call);
    const owner = owners.get(call.receipt) ?? key;
    const reference = owner === key ? call.receipt : key;
    const payment: BillPayment = { ...call, reference, state: 'open', message: '' };
    owners.set(reference, key);
    payments.set(key, payment);
    return payment;
  }

  async function run(call: BillCall, step: StepOption): Promise<PayOutcome> {
    const known = payments.get(keyOf(call));
    if (known?.state === 'kept' || known?.state === 'returned') return runner.tellAgain(known, call);
    if (known?.state === 'taken') return runner.settle(known);
    const payment = begin(call);
    const bill = step === 'notify' ? '' : await runner.agree(payment);
    if (bill === null) return { accepted: false, message: payment.message, receipt: payment.receipt };
    if (step !== 'validate') return runner.take(payment);
    await runner.enter(payment, 'validated', 'Validated; nothing was taken yet');
    return { ...pendingOf(payment), bill };
  }

  async function inTime(receipt: string, work: Promise<PayOutcome>): Promise<PayOutcome> {
    const waited = new AbortController();
    const late = sleep(waitMs, undefined, { signal: waited.signal }).then(() => pendingOf({ receipt }));
    late.catch(() => undefined);
    return Promise.race([work, late]).finally(() => waited.abort());
  }

  return {
    pay: (call: BillCall, step: StepOption) => inTime(call.receipt, run(call, step)),
    /** Continues a payment that stopped after its validation; null if there is none. */
    async proceed(receipt: string): Promise<PayOutcome | null> {
      const waiting = [...payments.values()].find(
        (one) => one.receipt === receipt && one.state === 'validated',
      );
      return waiting ? inTime(receipt, runner.take(waiting)) : null;
    },
    find: (receipt: string) => [...payments.values()].filter((one) => one.receipt === receipt),
    async close(): Promise<void> {
      stop.abort();
      await runner.idle();
    },
  };
}
