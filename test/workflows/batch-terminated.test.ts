import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createFlows } from '../../src/api/flows.ts';
import { checkInvariants } from '../../src/books/invariants.ts';
import type { BatchRun } from '../../src/domain/batch.ts';
import { workflowIdOf } from '../../src/domain/ids.ts';
import { itemsOfBatches } from '../../src/temporal/batch-items.ts';
import { fenceOf } from '../../src/transactions/care/fence.ts';
import { countItems, findBatch } from '../../src/transactions/rows/batch-store.ts';
import { startOfSubmission } from '../../src/workflows/start-flow.ts';
import { draftOf } from '../support/batches.ts';
import { useFlowServer } from '../support/flow-server.ts';
import { startFlows } from '../support/flows.ts';
import { sign, submissionKeys } from '../support/key-rings.ts';
import { createMerchant, type Merchant, mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import { createScriptedChannel, type ScriptedChannel, succeeded } from '../support/scripted-channel.ts';
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

  before(async () => {
    merchant = await createMerchant(test.database, { balance: 1_000_000 });
    script = createScriptedChannel();
    script.sends = [
      async ({ amount, transactionId }) =>
        (amount / 100) % 10 === 1
          ? { kind: 'failed', code: 'invalid_account', channelReference: null }
          : succeeded(amount / 100, transactionId),
    ];
    const delivery = { attempt: async () => ({ kind: 'delivered' as const }) };
    flows = await startFlows(server.environment, { database: test.database, script, delivery });
    const { client, connection } = server.environment;
    api = createFlows({ client, connection, submissionKeys });
  });
  after(() => flows?.stop());

  const batchNow = async ({ batchId: id, accountId }: BatchRun) =>
    (await findBatch(test.database, { id, accountId })) ?? assert.fail('the batch is there');
  const counts = async (run: BatchRun) =>
    (await countItems(test.database, [run.batchId])).get(run.batchId) ?? assert.fail();
  const isOver = (run: BatchRun) =>
    until(async () => ((await batchNow(run)).finishedAt === null ? undefined : batchNow(run)), {
      deadlineMs: 60_000,
      what: 'the batch is over',
    });
  async function assertWhole(run: BatchRun): Promise<void> {
    assert.deepEqual(await checkInvariants(test.database), []);
    assert.equal((await batchNow(run)).held, 0);
    const ids = script.sent.map(({ transactionId }) => transactionId);
    assert.equal(new Set(ids).size, ids.length, 'each item was sent at most once');
  }

  /** A flow of this item that no worker took, and that somebody terminated. */
  async function terminated(id: string, change: object = {}) {
    const asked = sign({ ...submissionFor(merchant, mobilePayoutRequest(10_000)), transactionId: id });
    const { workflowType, args, ...rest } = startOfSubmission(asked);
    const [input] = args;
    const flow = await server.environment.client.workflow.start(workflowType, {
      ...{ ...rest, taskQueue: 'nobody', args: [{ ...input, ...change }] },
    });
    await flow.terminate('by somebody');
    return asked;
  }

  it('pays an item whose flow somebody terminated before it was accepted, once', async () => {
    const { run } = await draftOf(test.database, merchant, [{ amount: 50_000 }, { amount: 50_001 }]);
    const { rows } = await test.database.query(
      'SELECT transaction_id AS id FROM batch_items WHERE batch_id = $1',
      [run.batchId],
    );
    for (const { id } of rows) await terminated(id);
    assert.equal((await api.startBatch(run)).kind, 'running');
    assert.equal((await isOver(run)).status, 'finished');
    await assertWhole(run);
    const { paid, failed } = await counts(run);
    assert.deepEqual([paid, failed, await fenceOf(test.database)], [1, 1, null]);
  });

  it('begins no item anew whose terminated flow went on with what was accepted: Postgres lost that', async () => {
    const id = randomUUID();
    const asked = await terminated(id, { submission: null });
    assert.equal(await itemsOfBatches(server.environment.client).begin(asked), 'lost');
    assert.deepEqual(
      script.sent.filter(({ transactionId }) => transactionId === id),
      [],
    );
  });

  it('pays an item once whose flow is terminated while it is accepted', async () => {
    const { run } = await draftOf(test.database, merchant, [{ amount: 51_000 }], { fast: true });
    // What the sweep goes on with asks before it sends.
    script.enquiries = [{ kind: 'not_found' }];
    const { rows } = await test.database.query(
      'SELECT transaction_id AS id FROM batch_items WHERE batch_id = $1',
      [run.batchId],
    );
    const item = server.environment.client.workflow.getHandle(workflowIdOf(rows[0].id));
    const holder = await test.database.connect();
    try {
      await api.startBatch(run);
      // Its hold is carved from the batch's row, so that it waits here.
      await holder.query('BEGIN');
      await holder.query('SELECT FROM batches WHERE id = $1 FOR UPDATE', [run.batchId]);
      await until(async () => (await item.describe().catch(() => null)) !== null || undefined, {
        deadlineMs: 20_000,
        what: 'its flow began',
      });
      await item.terminate('by somebody').catch(() => {});
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    await test.database.query('UPDATE batch_items SET begun_at = NULL WHERE batch_id = $1', [run.batchId]);
    await until(
      async () => {
        await flows.sweep.sweep();
        return (await batchNow(run)).finishedAt !== null || undefined;
      },
      { deadlineMs: 60_000, what: 'it is over' },
    );
    await assertWhole(run);
    assert.deepEqual([(await counts(run)).paid, await fenceOf(test.database)], [1, null]);
  });
});
