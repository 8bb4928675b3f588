import assert from 'node:assert/strict';
import { paymentsOf } from '../../src/app/flow-history.ts';
import { type BillNotification, receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { noteSignalled } from '../../src/transactions/rows/bill-receipts.ts';
import { controlNumberOf, paymentOf } from '../support/bill-customer.ts';
import { useFlowServer } from '../support/flow-server.ts';
import { type Flows, startFlows } from '../support/flows.ts';
import { billRequest, createMerchant, submissionFor } from '../support/merchant.ts';
import { createScriptedChannel } from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';

describe('payments of bills that Temporal has not heard of (real Temporal server)', function () {
  this.timeout(60_000);
  const server = useFlowServer('real');
  const { test } = server;
  let flows: Flows;

  beforeEach(async () => {
    const script = createScriptedChannel();
    flows = await startFlows(server.environment, { database: test.database, script });
  });
  afterEach(() => flows.stop());

  async function openBill(amount: number) {
    const merchant = await createMerchant(test.database);
    const submission = submissionFor(merchant, billRequest(amount, { mode: 'flexible' }));
    await flows.submit(submission);
    const id = submission.transactionId;
    return { id, number: await controlNumberOf(test.database, id) };
  }
  async function paid(number: string, amount: number): Promise<BillNotification> {
    const payment = paymentOf(number, amount);
    assert.equal((await receiveBillPayment(test.database, payment)).outcome, 'accepted');
    return payment;
  }
  /** The receipts that all runs of a bill's workflow know. */
  async function remembered(id: string): Promise<Set<string>> {
    const { client } = server.environment;
    const receipts = new Set<string>();
    const workflowId = flows.handle(id).workflowId;
    for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
      const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      for (const { receipt } of await paymentsOf(client, { workflowId, events: events ?? [] }))
        receipts.add(receipt);
    }
    return receipts;
  }
  const untilRemembered = (id: string, payments: readonly BillNotification[]) =>
    until(
      async () => {
        await flows.sweep.sweep();
        const known = await remembered(id);
        return payments.every(({ receipt }) => known.has(receipt));
      },
      { deadlineMs: 30_000, what: 'Temporal knows every payment' },
    );

  it('are signalled, although a later one was', async () => {
    const { id, number } = await openBill(25_000);
    const [lost, later] = [await paid(number, 5_000), await paid(number, 6_000)];
    await flows.handle(id).signal('channelResult', 'stored', later);
    await noteSignalled(test.database, later);
    await tryToEnd(test.database, id, { kind: 'notifications' });
    await untilRemembered(id, [lost, later]);
  });

  it('are all signalled in one sweep, however many of one bill there are, and never again', async () => {
    const { id, number } = await openBill(100_000);
    const payments: BillNotification[] = [];
    for (let n = 0; n < 60; n += 1) payments.push(await paid(number, 100));
    assert.equal((await flows.sweep.sweep()).signalled, 60);
    assert.equal((await flows.sweep.sweep()).signalled, 0);
    await untilRemembered(id, payments);
  });

  it('are signalled to another workflow where theirs is gone, though the bill is paid up', async () => {
    const { id, number } = await openBill(5_000);
    await flows.handle(id).terminate('lost');
    const payment = await paid(number, 5_000);
    assert.equal((await flows.sweep.sweep()).signalled, 1);
    assert.equal((await flows.handle(id).result()).status, 'completed');
    await untilRemembered(id, [payment]);
  });
});
