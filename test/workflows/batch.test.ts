import assert from 'node:assert/strict';
import { createFlows } from '../../src/api/kit/flows.ts';
import { runOf } from '../../src/batches/batch-store.ts';
import { pauseBatches } from '../../src/batches/restore-batch.ts';
import type { BatchRun } from '../../src/domain/batch.ts';
import { batchWorkflowIdOf } from '../../src/domain/ids.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { signBatch } from '../../src/transactions/rows/submission-mac.ts';
import { startOfBatch, workflowTypes } from '../../src/workflows/messages.ts';
import { batchesIn, draftOf, type Row, reasonOf } from '../support/batches.ts';
import { useTestDatabase } from '../support/database.ts';
import { startFlows } from '../support/flows.ts';
import { submissionKeys } from '../support/key-rings.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import {
  createScriptedChannel,
  failure,
  type ScriptedChannel,
  succeeded,
} from '../support/scripted-channel.ts';
import { useOwnTemporal } from '../support/temporal.ts';
import { until } from '../support/wait.ts';

const BALANCE = 100_000_000;

/** A Temporal and a Postgres of its own; amounts ending in 1 fail at the channel, in 2 are unclear until they are asked about. */
describe('the flow of a batch', function () {
  this.timeout(120_000);
  const temporal = useOwnTemporal();
  const test = useTestDatabase({ poolMax: 10 });
  let flows: Awaited<ReturnType<typeof startFlows>>;
  let api: ReturnType<typeof createFlows>;
  let script: ScriptedChannel;
  let merchant: Merchant;
  const told: string[] = [];

  before(async () => {
    const { client, connection } = temporal.environment;
    merchant = await createMerchant(test.database, { balance: BALANCE });
    script = createScriptedChannel();
    const receipt = () => `R${script.sent.length}-${Math.random()}`;
    script.sends = [
      async ({ amount }) => {
        const digit = (amount / 100) % 10;
        if (digit === 1) return failure('invalid_account');
        if (digit === 3) await gate;
        return succeeded(amount / 100, receipt());
      },
    ];
    const delivery = {
      attempt: async (eventId: string) => {
        told.push(eventId);
        return { kind: 'delivered' } as const;
      },
    };
    flows = await startFlows(temporal.environment, {
      database: test.database,
      script,
      delivery,
      worked: ['m-pesa', 'tigo-pesa'],
    });
    api = createFlows({ client, connection, submissionKeys });
  });
  after(async () => {
    open();
    await flows?.stop();
  });
  let open = () => {};
  let gate = Promise.resolve();
  const shut = () => {
    gate = new Promise((resolve) => {
      open = resolve;
    });
  };

  const { find, counts, isOver, move, finished, assertWhole } = batchesIn(test);
  async function begin(rows: readonly Row[], changes: Parameters<typeof draftOf>[3] = {}) {
    const { run } = await draftOf(test.database, merchant, rows, changes);
    const started = await api.startBatch(run);
    return { run, started };
  }
  const areOnTheirWay = (run: BatchRun) =>
    until(async () => (await counts(run)).pending > 0, 'some are on their way');

  it('pays each item once, gives back what failed, and tells the merchant', async () => {
    const before = await balanceOf(test.database, merchant.accountId, 'TZS');
    const rows = Array.from({ length: 70 }, (_, i) => ({
      amount: i % 7 === 0 ? 10_001 : 10_000,
      channel: i % 2 ? 'm-pesa' : 'tigo-pesa',
    }));
    const { run, started } = await begin(rows);
    assert.equal(started.kind, 'running');
    assert.equal((await isOver(run)).status, 'finished');
    await assertWhole(run, script);
    const { paid, failed } = await counts(run);
    assert.deepEqual([paid, failed], [60, 10]);
    const [event] = await finished(run);
    assert.deepEqual(event?.body.totals, {
      items: 70,
      amount: '700,010.00',
      fees: event?.body.totals.fees,
      paid: 60,
      failed: 10,
      cancelled: 0,
    });
    await until(() => told.includes(event?.id ?? ''), 'it is told');
    const spent = await test.sql`SELECT sum(amount + fee)::bigint AS spent FROM transactions
        WHERE batch_id = ${run.batchId} AND status = 'paid'`;
    const after = await balanceOf(test.database, merchant.accountId, 'TZS');
    assert.deepEqual([before.current - after.current, after.reserved], [spent[0]?.spent, 0]);
    assert.deepEqual(await api.startBatch(run), { kind: 'closed' }, 'started again it pays nothing');
    const { historyLength } = await temporal.environment.client.workflow
      .getHandle(batchWorkflowIdOf(run.batchId))
      .describe();
    assert.ok(historyLength < 2_000);
  });

  it('starts nothing more while it is paused, and goes on when it is resumed', async () => {
    shut();
    // 200 of one channel may be on their way: they all hang at the channel.
    const { run } = await begin(Array.from({ length: 260 }, () => ({ amount: 10_003 })));
    await areOnTheirWay(run);
    const tell = async (from: 'running' | 'paused', to: 'running' | 'paused' | 'cancelled') => {
      await move(run, from, to);
      await api.tellBatch(run);
    };
    await tell('running', 'paused');
    const begun = async () =>
      (
        await test.sql`SELECT count(begun_at)::int AS begun FROM batch_items WHERE batch_id = ${run.batchId}`
      )[0]?.begun;
    // One slice may be in hand.
    await until(async () => {
      const rows =
        await test.sql`SELECT max(begun_at) < now() - interval '3 seconds' AS quiet FROM batch_items
          WHERE batch_id = ${run.batchId}`;
      return rows[0]?.quiet;
    }, 'nothing more is started');
    const paused = await begun();
    assert.ok(paused < 260);
    await tell('paused', 'running');
    await until(async () => (await begun()) > paused, 'it goes on');
    await tell('running', 'cancelled');
    open();
    const over = await isOver(run);
    assert.equal(over.status, 'cancelled');
    await assertWhole(run, script);
    assert.ok((await counts(run)).cancelled > 0);
    assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).reserved, 0);
  });

  it('waits for its time, and a refusal then ends it and says so', async () => {
    const startAt = new Date(Date.now() + 3_000).toISOString();
    const { run, started } = await begin([{ amount: 20_000 }], { startAt });
    assert.equal(started.kind, 'scheduled');
    assert.equal((await find(run)).held, 0);
    assert.equal((await isOver(run)).status, 'finished');
    await assertWhole(run, script);

    const poor = await createMerchant(test.database, { balance: 100 });
    const { run: unpaid } = await draftOf(test.database, poor, [{ amount: 20_000 }], {
      startAt: new Date(Date.now() + 2_000).toISOString(),
    });
    assert.equal((await api.startBatch(unpaid)).kind, 'scheduled');
    const ended = await isOver(unpaid);
    assert.equal(ended.status, 'cancelled');
    assert.match(reasonOf(ended), /are missing/);
    const [event] = await finished(unpaid);
    assert.deepEqual([event?.body.status, event?.body.totals.cancelled], ['cancelled', 1]);
  });

  it('is cancelled before its time, and holds nothing', async () => {
    const { run } = await begin([{ amount: 30_000 }], {
      startAt: new Date(Date.now() + 86_400_000).toISOString(),
    });
    await move(run, 'scheduled', 'cancelled');
    await api.tellBatch(run);
    assert.equal((await isOver(run)).status, 'cancelled');
    await assertWhole(run, script);
  });

  it('that waited for its time when Postgres was restored is started when somebody says so again', async () => {
    const startAt = new Date(Date.now() + 86_400_000).toISOString();
    const { run } = await begin([{ amount: 31_000 }], { startAt });
    await pauseBatches(test.database);
    assert.equal((await find(run)).status, 'draft');
    assert.deepEqual(await api.startBatch({ ...run, startAt: null }), { kind: 'closed' }, 'it has gone');
    assert.equal((await find(run)).status, 'draft', 'as who saw no restore asked');
    const seen = { ...runOf(await find(run)), startedBy: run.startedBy };
    const again = () => api.startBatch({ ...seen, startAt: null });
    await until(async () => (await again()).kind === 'running', 'it is started anew');
    assert.equal((await isOver(run)).status, 'finished');
    await assertWhole(run, script);
  });

  it('that was held before Postgres was restored to its draft ends its flow, and is started anew', async () => {
    const { run } = await draftOf(test.database, merchant, [{ amount: 31_500 }]);
    // Its hold is lost; the next run of its flow was started with it, and nothing of it has left.
    const held = { ...run, start: { at: new Date().toISOString(), own: null } };
    const { client } = temporal.environment;
    const believing = await client.workflow.start(
      workflowTypes.batch,
      startOfBatch(signBatch(submissionKeys, held)),
    );
    const answers: string[] = [];
    await until(async () => {
      answers.push((await api.startBatch(run)).kind);
      return answers.at(-1) === 'running' && (await find(run)).status !== 'draft';
    }, 'it is started, and Postgres says so');
    assert.ok(
      answers.slice(0, -1).every((kind) => kind === 'closed'),
      `${answers}`,
    );
    assert.deepEqual(
      await client.workflow.getHandle(believing.workflowId, believing.firstExecutionRunId).result(),
      { status: 'draft' },
    );
    assert.equal((await isOver(run)).status, 'finished');
    await assertWhole(run, script);
  });

  it('tells of its end where it never started: a draft that is cancelled, also one that a restore made of a scheduled one', async () => {
    const startAt = new Date(Date.now() + 86_400_000).toISOString();
    const { run: scheduled } = await begin([{ amount: 32_000 }], { startAt });
    await pauseBatches(test.database);
    const { run: draft } = await draftOf(test.database, merchant, [{ amount: 32_001 }]);
    for (const run of [scheduled, draft]) {
      assert.equal((await move(run, 'draft', 'cancelled'))?.status, 'cancelled');
      for (const _ of ['once', 'again']) await api.tellBatch(run);
      assert.equal((await isOver(run)).held, 0);
      const events = await finished(run);
      assert.deepEqual(
        events.map(({ body }) => [body.status, body.totals.cancelled]),
        [['cancelled', 1]],
      );
      await until(() => told.includes(events[0]?.id ?? ''), 'it is told');
    }
  });

  it('is brought back by the sweep where its flow is lost', async () => {
    shut();
    const { run } = await begin(Array.from({ length: 60 }, () => ({ amount: 10_013 })));
    await areOnTheirWay(run);
    const flow = temporal.environment.client.workflow.getHandle(batchWorkflowIdOf(run.batchId));
    await flow.terminate('lost');
    open();
    await test.sql`UPDATE batches SET due_at = now() - interval '1 hour' WHERE id = ${run.batchId}`;
    // A batch whose row an item holds at this moment is left to the next sweep.
    await until(async () => {
      await flows.sweep.sweep();
      return (await flow.describe()).status.name !== 'TERMINATED';
    }, 'the sweep starts its flow again');
    await isOver(run);
    await assertWhole(run, script);
    assert.equal((await counts(run)).paid, 60);
  });

  it('tells of no single item where the merchant wants quiet', async () => {
    const { run } = await begin([{ amount: 40_000 }, { amount: 40_001 }], { quiet: true });
    await isOver(run);
    await assertWhole(run, script);
    const rows = await test.sql`SELECT count(*)::int AS events
        FROM callback_events e JOIN transactions t ON t.id = e.transaction_id
        WHERE t.batch_id = ${run.batchId}`;
    assert.equal(rows[0]?.events, 0);
    // An erased recipient of an item is erased from its row, too.
    await test.sql`UPDATE transactions SET msisdn = '255000000000' WHERE batch_id = ${run.batchId}`;
    const erased = await test.database.query(
      'SELECT DISTINCT msisdn, full_name, cells FROM batch_items WHERE batch_id = $1',
      [run.batchId],
    );
    assert.deepEqual(erased.rows, [{ msisdn: '255000000000', full_name: null, cells: null }]);
  });
});
