import { setTimeout as sleep } from 'node:timers/promises';
import type { BillCall, BillLegs } from './bill-legs.ts';
import { type BillPayment, createTeller, keyOf, type PayOutcome, pendingOf } from './bill-teller.ts';
import type { Book } from './ledger.ts';

/** Where to stop or begin: `validate` takes no money yet, `notify` asks nobody before it does. */
export type LegOption = 'validate' | 'notify' | undefined;
export type BillPayments = ReturnType<typeof createBillPayments>;

/**
 * The networks' side of payments by control number: durable, every receipt's money moved at most once. `legs` null: the
 * simulator does not know where the service is, and nobody can pay.
 */
export function createBillPayments(options: { book: Book; legs: BillLegs | null; waitMs: number }) {
  const { legs, waitMs } = options;
  if (legs === null) return null;
  const stop = new AbortController();
  const teller = createTeller({ book: options.book, legs, signal: stop.signal });
  const payments = teller.recalled();
  /** whose payment a reference of the book is: networks may use the same receipt number */
  const owners = new Map([...payments].map(([key, { reference }]) => [reference, key]));
  for (const payment of payments.values()) if (payment.state === 'taken') void teller.settle(payment);

  function begin(call: BillCall): BillPayment {
    const key = keyOf(call);
    const owner = owners.get(call.receipt) ?? key;
    const reference = owner === key ? call.receipt : key;
    const payment: BillPayment = { ...call, reference, state: 'open', message: '' };
    owners.set(reference, key);
    payments.set(key, payment);
    return payment;
  }

  async function run(call: BillCall, leg: LegOption): Promise<PayOutcome> {
    const known = payments.get(keyOf(call));
    if (known?.state === 'kept' || known?.state === 'returned') return teller.tellAgain(known, call);
    if (known?.state === 'taken') return teller.settle(known);
    const payment = begin(call);
    if (leg !== 'notify' && !(await teller.agree(payment)))
      return { accepted: false, message: payment.message, receipt: payment.receipt };
    if (leg !== 'validate') return teller.take(payment);
    await teller.enter(payment, 'validated', 'Validated; nothing was taken yet');
    return pendingOf(payment);
  }

  /** The final answer, or after `waitMs` the word that there is none yet. */
  async function inTime(receipt: string, work: Promise<PayOutcome>): Promise<PayOutcome> {
    const waited = new AbortController();
    const late = sleep(waitMs, undefined, { signal: waited.signal }).then(() => pendingOf({ receipt }));
    late.catch(() => undefined);
    return Promise.race([work, late]).finally(() => waited.abort());
  }

  return {
    pay: (call: BillCall, leg: LegOption) => inTime(call.receipt, run(call, leg)),
    /** Goes on with a payment that stopped after its validation; null when there is none. */
    async proceed(receipt: string): Promise<PayOutcome | null> {
      const waiting = [...payments.values()].find(
        (one) => one.receipt === receipt && one.state === 'validated',
      );
      return waiting ? inTime(receipt, teller.take(waiting)) : null;
    },
    find: (receipt: string) => [...payments.values()].filter((one) => one.receipt === receipt),
    async close(): Promise<void> {
      stop.abort();
      await teller.idle();
    },
  };
}
