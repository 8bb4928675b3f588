import assert from 'node:assert/strict';
import { argumentOf } from '../../src/app/flow-history.ts';
import { countBatch } from '../../src/batches/batch-progress.ts';
import { findBatch } from '../../src/batches/batch-store.ts';
import { batchWorkflowIdOf } from '../../src/domain/ids.ts';
import { minor } from '../../src/domain/money.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { topUp } from '../../src/ledger/transfer.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { type BatchInput, workflowTypes } from '../../src/workflows/messages.ts';
import { batchesIn, draftOf, reasonOf } from '../support/batches.ts';
import { startFlows } from '../support/flows.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { createScriptedChannel, succeeded } from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';
import { tellingInto, useLostPostgres } from './lost-postgres.ts';

/** The copy has the merchant and nothing of its batches. */
describe('a Postgres that lost batches', function () {
  this.timeout(60_000);
  const { temporal, lost, copy, recoverCopy, apiFlows } = useLostPostgres();
  let flows: Awaited<ReturnType<typeof startFlows>>;
  let api: ReturnType<typeof apiFlows>;
  let merchant: Merchant;

  before(async () => {
    merchant = await createMerchant(lost.database, { balance: 1_000_000 });
    await createMerchant(copy.database, { as: merchant, balance: 1_000_000 });
    const script = createScriptedChannel();
    script.sends = [async ({ amount }) => succeeded(amount / 100, `R${script.sent.length}`)];
    flows = await startFlows(temporal.environment, { database: lost.database, script });
    api = apiFlows();
  });
  after(() => flows?.stop());

  const [there, here] = [batchesIn(lost), batchesIn(copy)];

  it('gets them back with their holds, paused; what was never sent goes back, by the numbers of its rows', async () => {
    const all = await draftOf(lost.database, merchant, [{ amount: 10_000 }, { amount: 11_000 }]);
    await api.startBatch(all.run);
    await there.isOver(all.run, 'it is paid');
    // Its fourth to sixth items are of a channel that no worker of this test takes, and never begin: the batch is paused at once.
    const rows = [1, 2, 3, 4, 5, 6].map((n) => ({ amount: 20_000 + n }));
    const part = await draftOf(lost.database, merchant, rows);
    await lost.database.query(
      "UPDATE batch_items SET begun_at = now() + interval '1 hour' WHERE batch_id = $1 AND position > 3 AND position <> 5",
      [part.run.batchId],
    );
    await api.startBatch(part.run);
    await until(async () => (await there.counts(part.run)).paid === 4, 'four are paid');
    const dry = await recoverCopy({ isDry: true });
    assert.deepEqual([dry.batches, dry.restored, dry.problems], [2, 6, []]);
    const report = await recoverCopy();
    assert.deepEqual([report.batches, report.restored, report.problems, report.isLifted], [2, 6, [], true]);
    for (const { run } of [all, part]) assert.equal((await here.find(run)).status, 'paused');

    const progress = await countBatch(copy.database, part.run);
    assert.deepEqual([progress.status, progress.pending], ['cancelled', 4]);
    assert.match(reasonOf(await here.find(part.run)), /lost rows 4, 6:/);
    assert.equal((await here.find(part.run)).held, 0);
    assert.equal((await countBatch(copy.database, all.run)).pending, 2);
    assert.deepEqual(await countBatch(copy.database, part.run), progress, 'run twice it changes nothing');
    const { rows: out } = await copy.database.query(
      'SELECT sum(amount + fee)::bigint AS out FROM transactions',
    );
    const balance = await balanceOf(copy.database, merchant.accountId, 'TZS');
    assert.deepEqual([balance.current + balance.reserved, balance.reserved], [100_000_000, out[0]?.out]);
    assert.deepEqual(await checkInvariants(copy.database), []);
  });

  it('gets those that waited for their time back: cancelled and told of, or as drafts where the copy has their rows', async () => {
    const startAt = new Date(Date.now() + 86_400_000).toISOString();
    const gone = await draftOf(lost.database, merchant, [{ amount: 30_000 }, { amount: 31_000 }], {
      startAt,
    });
    const known = await draftOf(lost.database, merchant, [{ amount: 32_000 }], { startAt });
    const { batchNumber } = known.run;
    await draftOf(copy.database, merchant, [{ amount: 32_000 }], { startAt, batchNumber });
    const early = await draftOf(lost.database, merchant, [{ amount: 33_000 }], { startAt });
    for (const { run } of [gone, known, early]) assert.equal((await api.startBatch(run)).kind, 'scheduled');
    await there.move(early.run, 'scheduled', 'cancelled');
    await api.tellBatch(early.run);
    await there.isOver(early.run, 'it is cancelled before its time');
    const reserved = async () => (await balanceOf(copy.database, merchant.accountId, 'TZS')).reserved;
    const before = await reserved();
    await flows.stop();
    const { database } = copy;
    const dry = await recoverCopy({ isDry: true });
    assert.deepEqual([dry.batches, dry.problems], [2, []]);
    const { accountId } = merchant;
    assert.equal(await findBatch(database, { id: gone.run.batchId, accountId }), null);
    const report = await recoverCopy();
    assert.deepEqual([report.batches, report.problems, report.isLifted], [2, [], true]);
    assert.deepEqual([(await here.find(early.run)).status, await reserved()], ['cancelled', before]);

    const { told, delivery } = tellingInto();
    const script = createScriptedChannel();
    flows = await startFlows(temporal.environment, { database, script, delivery });
    const ended = await here.isOver(gone.run, 'the lost one has ended, long before its time');
    assert.deepEqual([ended.status, ended.held, ended.startedAt], ['cancelled', 0, null]);
    assert.match(reasonOf(ended), /lost rows 1–2:/);
    const [event, ...others] = await here.finished(gone.run);
    assert.deepEqual(
      [others, event?.body.status, event?.body.status_reason],
      [[], 'cancelled', reasonOf(ended)],
    );
    await until(() => told.includes(event?.id ?? ''), 'its merchant is told');

    const draft = await here.find(known.run);
    assert.deepEqual([draft.status, draft.held], ['draft', 0]);
    assert.match(reasonOf(draft), /was restored/);
    const again = await recoverCopy();
    assert.deepEqual([again.batches, again.problems, again.isLifted], [0, [], true]);
    assert.deepEqual(script.sent, []);
    assert.deepEqual(await checkInvariants(database), []);
  });
});

describe('a batch that the balance of the copy does not cover', function () {
  this.timeout(60_000);
  const { temporal, lost, copy, recoverCopy, apiFlows } = useLostPostgres();
  let flows: Awaited<ReturnType<typeof startFlows>>;
  before(async () => {
    const script = createScriptedChannel();
    script.sends = [async ({ amount }) => succeeded(amount / 100, 'R1')];
    flows = await startFlows(temporal.environment, { database: lost.database, script });
  });
  after(() => flows?.stop());

  it('counts once, whatever runs it had, and comes back when the balance covers it', async () => {
    const { client } = temporal.environment;
    const poor = await createMerchant(lost.database, { balance: 50_000 });
    await createMerchant(copy.database, { as: poor, balance: 0 });
    const { run } = await draftOf(lost.database, poor, [{ amount: 10_000 }]);
    await apiFlows().startBatch(run);
    await batchesIn(lost).isOver(run, 'it is paid');
    const workflowId = batchWorkflowIdOf(run.batchId);
    await until(
      async () => (await client.workflow.getHandle(workflowId).describe()).status.name === 'COMPLETED',
      'its flow ended',
    );
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    const input = (await argumentOf(client, { workflowId, events: events ?? [] })) as BatchInput;
    assert.ok(input.run.start);
    const options = { taskQueue: 'nobody', workflowId, args: [input] };
    await client.workflow.start(workflowTypes.batch, options);

    const short = await recoverCopy();
    assert.deepEqual([short.batches, short.uncovered, short.isLifted], [0, 1, false]);
    assert.equal(await findBatch(copy.database, { id: run.batchId, accountId: poor.accountId }), null);
    const more = { accountId: poor.accountId, amount: minor(5_000_000), actor: 'test', dedupeKey: 'more' };
    await topUp(copy.database, more);
    const whole = await recoverCopy();
    assert.deepEqual([whole.batches, whole.uncovered, whole.isLifted], [1, 0, true]);
    await client.workflow.getHandle(workflowId).terminate();
    assert.deepEqual(await checkInvariants(copy.database), []);
  });
});
