import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createFlows } from '../../src/api/flows.ts';
import { checkInvariants } from '../../src/books/invariants.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import type { BatchRun } from '../../src/domain/batch.ts';
import type { Submission } from '../../src/domain/operation.ts';
import { itemsOfBatches } from '../../src/temporal/batch-items.ts';
import { accept } from '../../src/transactions/acceptance/accept.ts';
import { nextSubmissions } from '../../src/transactions/acceptance/batch-slices.ts';
import { fenceOf } from '../../src/transactions/care/fence.ts';
import { countItems, findBatch } from '../../src/transactions/rows/batch-store.ts';
import { startOfSubmission } from '../../src/workflows/start-flow.ts';
import { draftOf } from '../support/batches.ts';
import { asRole } from '../support/database.ts';
import { useFlowServer } from '../support/flow-server.ts';
import { startFlows } from '../support/flows.ts';
import { sign, submissionKeys } from '../support/key-rings.ts';
import { createMerchant, type Merchant, mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import type { Queryable } from '../support/queryable.ts';
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

  beforeEach(async () => {
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
  afterEach(() => flows?.stop());

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
    for (const { id } of rows) await terminated(ofItem(id));
    assert.equal((await api.startBatch(run)).kind, 'running');
    assert.equal((await isOver(run)).status, 'finished');
    await assertWhole(run);
    const { paid, failed } = await counts(run);
    assert.deepEqual([paid, failed, await fenceOf(test.database)], [1, 1, null]);
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
