import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startBatch } from '../../src/batches/batch-start.ts';
import { runOf } from '../../src/batches/batch-store.ts';
import type { BatchRun } from '../../src/domain/batch.ts';
import { batchWorkflowIdOf } from '../../src/domain/ids.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { batchesIn, draftOf } from '../support/batches.ts';
import { asRole } from '../support/database.ts';
import { startFlows } from '../support/flows.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { nodeArguments } from '../support/node-entry.ts';
import type { Database } from '../support/queryable.ts';
import { createScriptedChannel, succeeded } from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';
import { useLostPostgres } from './lost-postgres.ts';

const rows = [{ amount: 10_000 }, { amount: 11_000 }];
type Copy = { database: Database; merchant: Merchant; run: BatchRun };
const copies: [what: string, copied: (at: Copy) => Promise<unknown>, status: string][] = [
  ['has nothing of it', async () => {}, 'cancelled'],
  ['is from before it', ({ database, merchant, run }) => draftOf(database, merchant, rows, run), 'draft'],
  [
    'is from after it',
    async ({ database, merchant, run }) => {
      await draftOf(database, merchant, rows, run);
      assert.equal((await startBatch(asRole(database, 'worker'), run)).kind, 'running');
    },
    'paused',
  ],
];

/** The hold was committed, its worker died before Temporal heard of it, and then Postgres was lost. */
for (const [what, copied, status] of copies)
  describe(`a Postgres that is lost between the hold of a batch and the next run of its flow, where the copy ${what}`, function () {
    this.timeout(60_000);
    const { temporal, lost, copy, recoverCopy, apiFlows } = useLostPostgres();
    let merchant: Merchant;
    let api: ReturnType<typeof apiFlows>;
    const script = createScriptedChannel();
    const here = batchesIn(copy);

    before(async () => {
      merchant = await createMerchant(lost.database, { balance: 1_000_000 });
      await createMerchant(copy.database, { as: merchant, balance: 1_000_000 });
      script.sends = [async ({ amount }) => succeeded(amount / 100, `R${script.sent.length}`)];
      api = apiFlows();
    });

    it(`leaves it ${status}, and nothing of it leaves until somebody says so`, async () => {
      const made = await draftOf(lost.database, merchant, rows);
      const { run } = made;
      const { url: DATABASE_URL } = lost;
      const worker = spawn(process.execPath, nodeArguments('test/app/dying-worker.ts'), {
        env: { ...process.env, DATABASE_URL, TEMPORAL_ADDRESS: temporal.address },
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      const died = once(worker, 'exit');
      await once(worker, 'message');
      void api.startBatch(run);
      assert.deepEqual(await died, [null, 'SIGKILL']);
      assert.equal((await batchesIn(lost).find(run)).held, 21_000_00 + made.batch.fees);
      assert.equal(await wentOn(run.batchId), false, 'its flow knows nothing of the hold');

      await copied({ database: copy.database, merchant, run });
      const report = await recoverCopy();
      assert.deepEqual([report.problems, report.isLifted], [[], true]);
      const sent = script.sent.length;
      const second = await startFlows(temporal.environment, { database: copy.database, script });
      const isOver = async () => (await here.find(run)).finishedAt !== null;
      try {
        await until(async () => (await wentOn(run.batchId)) || isClosed(run.batchId), 'its flow goes on');
        assert.deepEqual([(await here.find(run)).status, script.sent.length], [status, sent]);
        if (status === 'draft') {
          const again = { ...runOf(await here.find(run)), startedBy: merchant.apiKeyId };
          await until(async () => (await api.startBatch(again)).kind === 'running', 'it is started anew');
        }
        if (status === 'paused') {
          await here.move(run, 'paused', 'running');
          await api.tellBatch(run);
        }
        await until(isOver, 'it is over');
        // The rows that are lost are in no list.
        if (status === 'cancelled') assert.equal((await here.find(run)).held, 0);
        else await here.assertWhole(run, script);
        assert.deepEqual(await checkInvariants(copy.database), []);
        assert.equal(script.sent.length - sent, status === 'cancelled' ? 0 : rows.length);
      } finally {
        await second.stop();
      }
    });

    const flowOf = (batchId: string) =>
      temporal.environment.client.workflow.getHandle(batchWorkflowIdOf(batchId));
    const isClosed = async (batchId: string) => (await flowOf(batchId).describe()).status.name !== 'RUNNING';
    /** Its newest run was started by another one. */
    async function wentOn(batchId: string): Promise<boolean> {
      const [first] = (await flowOf(batchId).fetchHistory()).events ?? [];
      return !!first?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
    }
  });
