import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createFlows } from '../../src/api/kit/flows.ts';
import { itemsOfBatches } from '../../src/app/batch-items.ts';
import { nextSubmissions } from '../../src/batches/batch-slices.ts';
import { workflowIdOf } from '../../src/domain/ids.ts';
import type { Submission } from '../../src/domain/operation.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { fenceOf } from '../../src/transactions/care/fence.ts';
import { startOfSubmission } from '../../src/workflows/start-flow.ts';
import { accept } from '../support/accept.ts';
import { batchesIn, draftOf } from '../support/batches.ts';
import { asRole } from '../support/database.ts';
import { useFlowServer } from '../support/flow-server.ts';
import { startFlows } from '../support/flows.ts';
import { sign, submissionKeys } from '../support/key-rings.ts';
import { createMerchant, type Merchant, mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import type { Queryable } from '../support/queryable.ts';
import {
  createScriptedChannel,
  failure,
  type ScriptedChannel,
  succeeded,
} from '../support/scripted-channel.ts';
import { attentionOf } from '../support/unexplained.ts';
import { until } from '../support/wait.ts';

/** Amounts ending in 1 fail at the channel. */
describe('a batch whose items somebody terminates in Temporal', function () {
  this.timeout(120_000);
  const server = useFlowServer('real');
  const { test } = server;
  let flows: Awaited<ReturnType<typeof startFlows>>;
  let api: ReturnType<typeof createFlows>;
  let script: ScriptedChannel;
  let merchant: Merchant;

  beforeEach(async () => {
    merchant = await createMerchant(test.database, { balance: 1_000_000 });
    script = createScriptedChannel();
    script.sends = [
      async ({ amount, transactionId }) =>
        (amount / 100) % 10 === 1 ? failure('invalid_account') : succeeded(amount / 100, transactionId),
    ];
    const delivery = { attempt: async () => ({ kind: 'delivered' as const }) };
    flows = await startFlows(server.environment, { database: test.database, script, delivery });
    const { client, connection } = server.environment;
    api = createFlows({ client, connection, submissionKeys });
  });
  afterEach(() => flows?.stop());

  const { counts, isOver, assertWhole, find, move } = batchesIn(test);

  const ofItem = (transactionId: string): Submission => ({
    ...submissionFor(merchant, mobilePayoutRequest(10_000)),
    transactionId,
  });
  /** A flow of this item that no worker took, and that somebody terminated. */
  async function terminated(submission: Submission, change: object = {}) {
    const asked = sign(submission);
    const { workflowType, args, ...rest } = startOfSubmission(asked);
    const [input] = args;
    const flow = await server.environment.client.workflow.start(workflowType, {
      ...rest,
      taskQueue: 'nobody',
      args: [{ ...input, ...change }],
    });
    await flow.terminate('by somebody');
    return asked;
  }

  it('pays an item whose flow somebody terminated before it was accepted, once', async () => {
    const { run } = await draftOf(test.database, merchant, [{ amount: 50_000 }, { amount: 50_001 }]);
    const rows = await test.sql`SELECT transaction_id AS id FROM batch_items WHERE batch_id = ${run.batchId}`;
    for (const { id } of rows) await terminated(ofItem(id));
    assert.equal((await api.startBatch(run)).kind, 'running');
    assert.equal((await isOver(run)).status, 'finished');
    await assertWhole(run, script);
    const { paid, failed } = await counts(run);
    assert.deepEqual([paid, failed, await fenceOf(test.database)], [1, 1, null]);
  });

  it('says of an item that cannot be accepted that a person has to look, and ends without it when it is cancelled', async () => {
    // More than any payout may be.
    const { run } = await draftOf(test.database, merchant, [{ amount: 52_000 }, { amount: 400_000 }]);
    const rows = await test.sql`SELECT transaction_id AS id FROM batch_items
        WHERE batch_id = ${run.batchId} AND position = 2`;
    const flow = workflowIdOf(rows[0].id);
    assert.equal((await api.startBatch(run)).kind, 'running');
    const told = await until(async () => (await attentionOf(test.database, flow))[0], 'a person is told');
    assert.match(told.detail, /no mobile of this amount/);
    await until(async () => (await counts(run)).paid === 1, 'the other one is paid');
    await move(run, 'running', 'cancelled');
    await api.tellBatch(run);
    await isOver(run);
    await assertWhole(run, script);
    assert.deepEqual([(await counts(run)).cancelled, await fenceOf(test.database)], [1, null]);
  });

  it('begins no item anew whose terminated flow went on with what was accepted: Postgres lost that', async () => {
    const id = randomUUID();
    const asked = await terminated(ofItem(id), { submission: null });
    assert.equal(await itemsOfBatches(server.environment.client).begin(asked), 'lost');
    assert.deepEqual(
      script.sent.filter(({ transactionId }) => transactionId === id),
      [],
    );
  });

  it('pays an item once whose flow is terminated when it was accepted, before its history says so', async () => {
    const { run } = await draftOf(test.database, merchant, [{ amount: 51_000 }], { fast: true });
    const begunAt = (db: Queryable, at: string | null) =>
      db.query('UPDATE batch_items SET begun_at = $2 WHERE batch_id = $1', [run.batchId, at]);
    await begunAt(test.database, '2100-01-01T00:00:00Z');
    assert.equal((await api.startBatch(run)).kind, 'running');
    // Read as its flow reads it, which does not see it begin.
    const [submission] = await inTransaction(test.database, async (db) => {
      await begunAt(db, null);
      const next = await nextSubmissions(db, run);
      await begunAt(db, '2100-01-01T00:00:00Z');
      return next;
    });
    assert.ok(submission);
    await terminated(submission);
    assert.equal((await accept(asRole(test.database, 'worker'), submission)).mine, true);
    // What the sweep goes on with asks before it sends.
    script.enquiries = [{ kind: 'not_found' }];
    await until(async () => {
      await flows.sweep.sweep();
      return (await find(run)).finishedAt !== null || undefined;
    }, 'it is over');
    await assertWhole(run, script);
    assert.deepEqual([(await counts(run)).paid, await fenceOf(test.database)], [1, null]);
  });
});
