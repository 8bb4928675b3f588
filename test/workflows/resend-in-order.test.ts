import assert from 'node:assert/strict';
import { startRound } from '../../src/app/waking.ts';
import { resendEvent } from '../../src/callbacks/resend.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { channelResult } from '../../src/workflows/messages.ts';
import { deliveryFor } from '../callbacks/delivery.ts';
import { answering, type Receiver, startReceiver } from '../callbacks/receiver.ts';
import { controlNumberOf, paymentOf } from '../support/bill-customer.ts';
import { useFlowServer } from '../support/flow-server.ts';
import { type Flows, startFlows } from '../support/flows.ts';
import { billRequest, createMerchant, type Merchant, submissionFor } from '../support/merchant.ts';
import { createScriptedChannel } from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';

const DAY_MS = 24 * 3_600_000;

describe("a bill whose workflow sleeps until its first event's next attempt, a day from now", function () {
  this.timeout(60_000);
  let flows: Flows;
  // Before the server's own hook, which closes the connection that the flows hold.
  after(() => flows.stop());
  const server = useFlowServer('skipped');
  const { test } = server;
  let receiver: Receiver;
  let merchant: Merchant;
  let id: string;
  let number: string;

  before(async () => {
    flows = await startFlows(server.environment, {
      database: test.database,
      script: createScriptedChannel(),
      delivery: deliveryFor(test.database, { delaysMs: [DAY_MS] }),
    });
  });
  beforeEach(async () => {
    receiver = await startReceiver();
    receiver.react(answering(500));
    merchant = await createMerchant(test.database, { callbackUrl: receiver.url });
    const submission = submissionFor(merchant, billRequest(25_000, { mode: 'flexible' }));
    await flows.submit(submission);
    id = submission.transactionId;
    number = await controlNumberOf(test.database, id);
    await pay(5_000);
    await pay(6_000);
    await until(async () => (await events())[0]?.next_attempt_at, 'the first attempt failed');
    receiver.react(answering(200));
  });
  afterEach(() => receiver.close());

  async function pay(amount: number) {
    await receiveBillPayment(test.database, paymentOf(number, amount));
    await flows.handle(id).signal(channelResult, 'stored');
  }
  async function events() {
    const rows =
      await test.sql`SELECT id, state, next_attempt_at FROM callback_events WHERE transaction_id = ${id}
        ORDER BY sequence`;
    return rows as { id: string; state: string; next_attempt_at: string | null }[];
  }
  const resend = (eventId: string) =>
    inTransaction(test.database, (db) =>
      resendEvent(db, { accountId: merchant.accountId, eventId, actor: 'test' }),
    );
  const delivered = (count: number) =>
    until(
      async () => (await events()).filter(({ state }) => state === 'delivered').length === count,
      `${count} events are delivered`,
    );
  const sequences = () => receiver.received.map(({ body }) => JSON.parse(body).sequence);

  it('gets all of them to the merchant when the first is resent', async () => {
    const [first] = await events();
    const queued = await resend(first?.id ?? '');
    for (const round of [queued, ...queued.taken]) await startRound(server.environment.client, round);
    await delivered(2);
    assert.deepEqual(sequences(), [1, 1, 2]);
  });

  it('gets those to the merchant that were queued when the process died, and those that are written later', async () => {
    const [first] = await events();
    await resend(first?.id ?? '');
    await pay(7_000);
    await until(async () => (await events()).length === 3, 'the third is written');
    await flows.sweep.sweep();
    await delivered(3);
    assert.deepEqual(sequences(), [1, 1, 2, 3]);
  });
});
