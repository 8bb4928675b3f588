import assert from 'node:assert/strict';
import { createFlows } from '../../src/api/flows.ts';
import { checkInvariants } from '../../src/books/invariants.ts';
import type { BatchRun } from '../../src/domain/batch.ts';
import { batchWorkflowIdOf } from '../../src/domain/ids.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { pauseBatches } from '../../src/transactions/rescue/restore-batch.ts';
import { countItems, findBatch, moveBatch } from '../../src/transactions/rows/batch-store.ts';
import { draftOf, type Row } from '../support/batches.ts';
import { useTestDatabase } from '../support/database.ts';
import { startFlows } from '../support/flows.ts';
import { submissionKeys } from '../support/key-rings.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { createScriptedChannel, type ScriptedChannel, succeeded } from '../support/scripted-channel.ts';
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
        if (digit === 1) return { kind: 'failed', code: 'invalid_account', channelReference: null };
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

  const batchNow = async ({ batchId: id, accountId }: BatchRun) =>
    (await findBatch(test.database, { id, accountId })) ?? assert.fail('the batch is there');
  const counts = async (run: BatchRun) =>
    (await countItems(test.database, [run.batchId])).get(run.batchId) ?? assert.fail();
  const isOver = (run: BatchRun, what = 'the batch is over') =>
    until(async () => ((await batchNow(run)).finishedAt === null ? undefined : batchNow(run)), {
      deadlineMs: 60_000,
      what,
    });
  const eventsOf = async (run: BatchRun) =>
    (
      await test.database.query(
        "SELECT id, body FROM callback_events WHERE event = 'batch.finished' AND body LIKE $1",
        [`%${run.batchId}%`],
      )
    ).rows.map(({ id, body }: { id: string; body: string }) => ({ id, body: JSON.parse(body) }));
  async function begin(rows: readonly Row[], changes: Parameters<typeof draftOf>[3] = {}) {
    const { run } = await draftOf(test.database, merchant, rows, changes);
    const started = await api.startBatch(run);
    return { run, started };
  }
  async function assertWhole(run: BatchRun): Promise<void> {
    assert.deepEqual(await checkInvariants(test.database), []);
    const { held, items } = await batchNow(run);
    assert.equal(held, 0, 'nothing is left of its hold');
    const ids = script.sent.map(({ transactionId }) => transactionId);
    assert.equal(new Set(ids).size, ids.length, 'each item was sent at most once');
    const { paid, failed, cancelled } = await counts(run);
    assert.equal(paid + failed + cancelled, items);
  }

  it('pays each item once, gives back what failed, and tells the merchant', async () => {
    const before = await balanceOf(test.database, merchant.accountId, 'TZS');
    const rows = Array.from({ length: 70 }, (_, i) => ({
      amount: i % 7 === 0 ? 10_001 : 10_000,
      channel: i % 2 ? 'm-pesa' : 'tigo-pesa',
    }));
    const { run, started } = await begin(rows);
    assert.deepEqual(started, { kind: 'running' });
    assert.equal((await isOver(run)).status, 'finished');
    await assertWhole(run);
    const { paid, failed } = await counts(run);
    assert.deepEqual([paid, failed], [60, 10]);
    const [event] = await eventsOf(run);
    assert.deepEqual(event?.body.totals, {
      items: 70,
      amount: '700,010.00',
      fees: event?.body.totals.fees,
      paid: 60,
      failed: 10,
      cancelled: 0,
    });
    await until(async () => told.includes(event?.id ?? '') || undefined, {
      deadlineMs: 20_000,
      what: 'it is told',
    });
    const { rows: spent } = await test.database.query(
      "SELECT sum(amount + fee)::bigint AS spent FROM transactions WHERE batch_id = $1 AND status = 'paid'",
      [run.batchId],
    );
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
    await until(async () => (await counts(run)).pending > 0 || undefined, {
      deadlineMs: 20_000,
      what: 'some are on their way',
    });
    const move = (from: 'running' | 'paused', to: 'running' | 'paused' | 'cancelled') =>
      moveBatch(test.database, { id: run.batchId, accountId: run.accountId, from: [from], to });
    await move('running', 'paused');
    await api.tellBatch(run.batchId);
    const begun = async () =>
      (
        await test.database.query(
          'SELECT count(begun_at)::int AS begun FROM batch_items WHERE batch_id = $1',
          [run.batchId],
        )
      ).rows[0]?.begun;
    // One slice may be in hand.
    await until(
      async () => {
        const { rows } = await test.database.query(
          "SELECT max(begun_at) < now() - interval '3 seconds' AS quiet FROM batch_items WHERE batch_id = $1",
          [run.batchId],
        );
        return rows[0]?.quiet || undefined;
      },
      { deadlineMs: 20_000, what: 'nothing more is started' },
    );
    const paused = await begun();
    assert.ok(paused < 260);
    await move('paused', 'running');
    await api.tellBatch(run.batchId);
    await until(async () => ((await begun()) > paused ? true : undefined), {
      deadlineMs: 20_000,
      what: 'it goes on',
    });
    await move('running', 'cancelled');
    await api.tellBatch(run.batchId);
    open();
    const over = await isOver(run);
    assert.equal(over.status, 'cancelled');
    await assertWhole(run);
    assert.ok((await counts(run)).cancelled > 0);
    assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).reserved, 0);
  });

  it('waits for its time, and a refusal then ends it and says so', async () => {
    const startAt = new Date(Date.now() + 3_000).toISOString();
    const { run, started } = await begin([{ amount: 20_000 }], { startAt });
    assert.equal(started.kind, 'scheduled');
    assert.equal((await batchNow(run)).held, 0);
    assert.equal((await isOver(run)).status, 'finished');
    await assertWhole(run);

    const poor = await createMerchant(test.database, { balance: 100 });
    const { run: unpaid } = await draftOf(test.database, poor, [{ amount: 20_000 }], {
      startAt: new Date(Date.now() + 2_000).toISOString(),
    });
    assert.equal((await api.startBatch(unpaid)).kind, 'scheduled');
    const ended = await isOver(unpaid);
    assert.equal(ended.status, 'cancelled');
    assert.match(ended.statusReason ?? '', /are missing/);
    const [event] = await eventsOf(unpaid);
    assert.deepEqual([event?.body.status, event?.body.totals.cancelled], ['cancelled', 1]);
  });

  it('is cancelled before its time, and holds nothing', async () => {
    const { run } = await begin([{ amount: 30_000 }], {
      startAt: new Date(Date.now() + 86_400_000).toISOString(),
    });
    await moveBatch(test.database, {
      id: run.batchId,
      accountId: run.accountId,
      from: ['scheduled'],
      to: 'cancelled',
    });
    await api.tellBatch(run.batchId);
    assert.equal((await isOver(run)).status, 'cancelled');
    await assertWhole(run);
  });

  it('that waited for its time when Postgres was restored is started when somebody says so again', async () => {
    const startAt = new Date(Date.now() + 86_400_000).toISOString();
    const { run } = await begin([{ amount: 31_000 }], { startAt });
    await pauseBatches(test.database);
    assert.equal((await batchNow(run)).status, 'draft');
    assert.deepEqual(
      await api.startBatch({ ...run, startAt: null }),
      { kind: 'closed' },
      'it has gone since',
    );
    await until(
      async () => (await api.startBatch({ ...run, startAt: null })).kind === 'running' || undefined,
      {
        deadlineMs: 20_000,
        what: 'it is started anew',
      },
    );
    assert.equal((await isOver(run)).status, 'finished');
    await assertWhole(run);
  });

  it('is brought back by the sweep where its flow is lost', async () => {
    shut();
    const { run } = await begin(Array.from({ length: 60 }, () => ({ amount: 10_013 })));
    await until(async () => (await counts(run)).pending > 0 || undefined, {
      deadlineMs: 20_000,
      what: 'some are on their way',
    });
    const flow = temporal.environment.client.workflow.getHandle(batchWorkflowIdOf(run.batchId));
    await flow.terminate('lost');
    open();
    await test.database.query("UPDATE batches SET due_at = now() - interval '1 hour' WHERE id = $1", [
      run.batchId,
    ]);
    // A batch whose row an item holds at this moment is left to the next sweep.
    await until(
      async () => {
        await flows.sweep.sweep();
        return (await flow.describe()).status.name !== 'TERMINATED' || undefined;
      },
      { deadlineMs: 20_000, what: 'the sweep starts its flow again' },
    );
    await isOver(run);
    await assertWhole(run);
    assert.equal((await counts(run)).paid, 60);
  });

  it('tells of no single item where the merchant wants quiet', async () => {
    const { run } = await begin([{ amount: 40_000 }, { amount: 40_001 }], { quiet: true });
    await isOver(run);
    await assertWhole(run);
    const { rows } = await test.database.query(
      'SELECT count(*)::int AS events FROM callback_events e JOIN transactions t ON t.id = e.transaction_id WHERE t.batch_id = $1',
      [run.batchId],
    );
    assert.equal(rows[0]?.events, 0);
    // An erased recipient of an item is erased from its row, too.
    await test.database.query("UPDATE transactions SET msisdn = '255000000000' WHERE batch_id = $1", [
      run.batchId,
    ]);
    const erased = await test.database.query(
      'SELECT DISTINCT msisdn, full_name, cells FROM batch_items WHERE batch_id = $1',
      [run.batchId],
    );
    assert.deepEqual(erased.rows, [{ msisdn: '255000000000', full_name: null, cells: null }]);
  });
});
