import assert from 'node:assert/strict';
import type { Delivery } from '../../src/callbacks/deliver.ts';
import type { BilledRequest } from '../../src/domain/operation.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { noteSignalled } from '../../src/transactions/rows/bill-receipts.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { cancel } from '../../src/workflows/messages.ts';
import { controlNumberOf, endTimeOf, paymentOf } from '../support/bill-customer.ts';
import { type OwnFlows, useFlowServer } from '../support/flow-server.ts';
import { billRequest, qrRequest, submissionFor } from '../support/merchant.ts';
import { until } from '../support/wait.ts';

describe('the flow of a bill (skipped time, real durations)', () => {
  const server = useFlowServer('skipped');
  const { test } = server;
  let { merchant, flows } = {} as OwnFlows;
  let delivered: string[];
  let takesCallbacks: boolean;
  let refused: number;

  beforeEach(async () => {
    delivered = [];
    takesCallbacks = true;
    refused = 0;
    const delivery: Delivery = {
      async attempt(eventId) {
        const rows = await test.sql`SELECT body FROM callback_events WHERE id = ${eventId}`;
        const { event, sequence } = JSON.parse(rows[0].body);
        // A later event is tried sooner: only the courier keeps the order.
        if (!takesCallbacks) {
          refused += 1;
          return { kind: 'retry', afterMs: 10_000 / sequence };
        }
        await test.sql`UPDATE callback_events SET state = 'delivered' WHERE id = ${eventId}`;
        delivered.push(`${sequence} ${event}`);
        return { kind: 'delivered' };
      },
    };
    ({ merchant, flows } = await server.open({ delivery }));
  });

  async function start(request: BilledRequest) {
    // Tests before this one have skipped months of the server's time.
    const skippedMs = (await server.environment.currentTimeMs()) - Date.now();
    const expiresAt = new Date(Date.parse(request.expiresAt) + skippedMs).toISOString();
    const submission = submissionFor(merchant, { ...request, expiresAt });
    const { mine } = await flows.submit(submission);
    assert.equal(mine, true);
    const id = submission.transactionId;
    const number = await controlNumberOf(test.database, id);
    return {
      id,
      /** what a door does: decide, then tell the flow */
      async pay(amount: number) {
        const payment = paymentOf(number, amount);
        const decision = await receiveBillPayment(test.database, payment);
        await flows.handle(id).signal('channelResult', 'stored');
        await noteSignalled(test.database, payment);
        return decision.outcome;
      },
      /** the flow is not told */
      payUnsignalled: async (amount: number) =>
        (await receiveBillPayment(test.database, paymentOf(number, amount))).outcome,
      /** in Postgres's clock, too */
      endTime: () => endTimeOf(test.database, id),
      result: () => flows.handle(id).result(),
      row: () => getTransaction(test.database, id),
    };
  }
  const told = (count: number) => until(() => delivered.length >= count, `${count} callbacks`);

  it('ends when an exact bill is paid, and tells the merchant', async () => {
    const bill = await start(billRequest(25_000));
    assert.equal(await bill.pay(25_000), 'accepted');
    assert.equal((await bill.result()).status, 'completed');
    assert.deepEqual(delivered, ['1 payment.received']);
  });

  it('tells of each payment of a flexible bill at once and in order, and ends with the last', async () => {
    const bill = await start(billRequest(25_000, { mode: 'flexible' }));
    await bill.pay(5_000);
    await told(1);
    await bill.pay(10_000);
    await told(2);
    await bill.pay(10_000);
    assert.equal((await bill.result()).status, 'completed');
    assert.deepEqual(delivered, ['1 payment.received', '2 payment.received', '3 payment.received']);
  });

  it('takes payments while the merchant’s receiver is down, and keeps the order when it is back', async () => {
    takesCallbacks = false;
    const bill = await start(billRequest(25_000, { mode: 'flexible' }));
    for (const amount of [5_000, 6_000, 14_000]) assert.equal(await bill.pay(amount), 'accepted');
    assert.equal((await bill.row())?.status, 'completed');
    await until(() => refused > 0, 'the first attempt');
    takesCallbacks = true;
    assert.equal((await bill.result()).status, 'completed');
    assert.deepEqual(delivered, ['1 payment.received', '2 payment.received', '3 payment.received']);
  });

  it('expires unpaid after its 90 days', async () => {
    const bill = await start(billRequest(25_000));
    await bill.endTime();
    assert.equal((await bill.result()).status, 'failed');
    assert.equal((await bill.row())?.failureCode, 'expired');
    assert.deepEqual(delivered, ['1 payment.failed']);
  });

  it('expires partly paid: the money is kept', async () => {
    const bill = await start(billRequest(25_000, { mode: 'flexible' }));
    await bill.pay(5_000);
    await told(1);
    await bill.endTime();
    assert.equal((await bill.result()).status, 'failed');
    assert.equal((await bill.row())?.failureCode, 'expired_partially_paid');
    assert.deepEqual(delivered, ['1 payment.received', '2 payment.failed']);
  });

  it('of a QR code ends paid, or expires after 15 minutes', async () => {
    const paid = await start(qrRequest(15_000));
    await paid.pay(15_000);
    assert.equal((await paid.result()).status, 'completed');
    const forgotten = await start(qrRequest(15_000));
    await forgotten.endTime();
    assert.equal((await forgotten.result()).status, 'failed');
    assert.equal((await forgotten.row())?.failureCode, 'expired');
  });

  it('does not expire by Temporal’s clock alone: while Postgres’s says that it may be paid, it may', async () => {
    const bill = await start(qrRequest(15_000));
    await server.environment.sleep('17 minutes');
    assert.equal((await bill.row())?.status, 'pending');
    assert.equal(await bill.pay(15_000), 'accepted');
    assert.equal((await bill.result()).status, 'completed');
  });

  it('is cancelled while nothing is paid, and only then', async () => {
    const unpaid = await start(billRequest(25_000));
    assert.deepEqual(await flows.handle(unpaid.id).executeUpdate(cancel), { cancelled: true });
    assert.equal((await unpaid.result()).status, 'cancelled');
    const partly = await start(billRequest(25_000, { mode: 'flexible' }));
    await partly.pay(5_000);
    assert.deepEqual(await flows.handle(partly.id).executeUpdate(cancel), { cancelled: false });
    await partly.pay(20_000);
    assert.equal((await partly.result()).status, 'completed');
  });

  it('is told by the sweep of a payment whose signal was lost', async () => {
    const bill = await start(billRequest(25_000, { mode: 'flexible' }));
    await bill.payUnsignalled(5_000);
    assert.equal((await flows.sweep.sweep()).signalled, 1);
    await told(1);
    await until(
      async () => (await flows.sweep.sweep()).signalled === 0,
      'the sweep to see that the workflow knows it',
    );
    await bill.payUnsignalled(20_000);
    await flows.sweep.sweep();
    assert.equal((await bill.result()).status, 'completed');
  });

  it('answers the same bill sent again, while it runs and with what it stored', async () => {
    const request = billRequest(25_000, { lifeMs: 3_650 * 86_400_000 });
    const first = submissionFor(merchant, request);
    const second = submissionFor(merchant, request);
    assert.equal(first.transactionId, second.transactionId);
    const [one, two] = [await flows.submit(first), await flows.submit(second)];
    assert.equal(one.answer.body, two.answer.body);
    await flows.handle(first.transactionId).executeUpdate(cancel);
  });

  it('keeps its history small for a bill that is paid in many parts', async function () {
    this.timeout(300_000);
    const parts = 150;
    const bill = await start(billRequest(parts, { mode: 'flexible' }));
    for (let i = 0; i < parts; i += 1) await bill.pay(1);
    assert.equal((await bill.result()).status, 'completed');
    assert.equal(delivered.length, parts);
    const { historyLength } = await flows.handle(bill.id).describe();
    // Of the 500 parts that a bill may have that makes 8,000 events.
    assert.ok(historyLength < 16 * parts, `${historyLength} events`);
  });

  // Last: this server skips no time any more after a run was terminated.
  it('goes on from Postgres when its workflow was lost: nothing is accepted twice, every payment is told', async () => {
    const bill = await start(billRequest(25_000, { mode: 'flexible' }));
    await bill.pay(5_000);
    await told(1);
    await flows.handle(bill.id).terminate('lost');
    await bill.payUnsignalled(6_000);
    await flows.sweep.sweep();
    await told(2);
    await flows.handle(bill.id).terminate('lost again');
    await bill.payUnsignalled(14_000);
    await flows.sweep.sweep();
    assert.equal((await bill.result()).status, 'completed');
    assert.deepEqual(delivered, ['1 payment.received', '2 payment.received', '3 payment.received']);
  });
});
