// tests: slow, many connections
import assert from 'node:assert/strict';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createBatchActivities, type ItemFlows } from '../../src/activities/batches.ts';
import { presentBatches } from '../../src/api/batches/batch-present.ts';
import { dropOldDrafts } from '../../src/batches/batch-drafts.ts';
import { countBatch } from '../../src/batches/batch-progress.ts';
import { nextSubmissions } from '../../src/batches/batch-slices.ts';
import { startBatch } from '../../src/batches/batch-start.ts';
import { itemsOf, lockBatch } from '../../src/batches/batch-store.ts';
import { pauseBatches } from '../../src/batches/restore-batch.ts';
import { type BatchRun, DRAFTS_MAX } from '../../src/domain/batch.ts';
import { keptDays } from '../../src/domain/data/retention.ts';
import { batchWorkflowIdOf } from '../../src/domain/ids.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { keepPartitions } from '../../src/platform/db/retention.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { fenceOf } from '../../src/transactions/care/fence.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { signBatch } from '../../src/transactions/rows/submission-mac.ts';
import { accept } from '../support/accept.ts';
import { batchesIn, draftOf } from '../support/batches.ts';
import { asRole, createTestDatabase, useTestDatabase } from '../support/database.ts';
import { submissionKeys } from '../support/key-rings.ts';
import { limitTo } from '../support/limits.ts';
import { createMerchant, type Merchant, mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import { failure } from '../support/scripted-channel.ts';
import { attentionOf } from '../support/unexplained.ts';

describe('a batch of payouts in Postgres', function () {
  this.timeout(30_000);
  const test = useTestDatabase();
  const { find: now, move } = batchesIn(test);
  let merchant: Merchant;
  before(async () => {
    merchant = await createMerchant(test.database, { balance: 10_000_000 });
  });
  afterEach(async () => {
    assert.equal(await fenceOf(test.database), null);
    assert.deepEqual(await checkInvariants(test.database), []);
  });

  const row = (amount: number) => ({ amount, msisdn: `25575422${String(amount).slice(-4)}` });
  const refused = { kind: 'answer', result: failure('invalid_account') } as const;
  function startItems(items: ItemFlows, run: BatchRun): Promise<number> {
    const { startItems } = createBatchActivities({ database: test.database, submissionKeys, items });
    const execution = { workflowExecution: { workflowId: batchWorkflowIdOf(run.batchId), runId: '1' } };
    return new MockActivityEnvironment(execution).run(startItems, signBatch(submissionKeys, run));
  }
  const makeOld = (id: string) => test.sql`UPDATE batches
    SET created_at = now() - interval '8 days', updated_at = now() - interval '8 days' WHERE id = ${id}`;

  it('is not taken for lost where an item was accepted and ended while it was started once more', async () => {
    const { run } = await draftOf(test.database, merchant, [row(11_001), row(11_002)]);
    assert.equal((await startBatch(test.database, run)).kind, 'running');
    const items: ItemFlows = {
      begin: async (submission) => {
        await accept(test.database, submission);
        return 'lost';
      },
      tell: async () => null,
    };
    assert.equal(await startItems(items, run), 2);
    assert.equal((await now(run)).held, 0);
  });

  it('stops nothing where its draft was dropped before its flow came to start it: nothing was held', async () => {
    const { run } = await draftOf(test.database, merchant, [row(12_001)]);
    await makeOld(run.batchId);
    await dropOldDrafts(test.database);
    assert.deepEqual(await startBatch(test.database, run), { kind: 'closed' });
  });

  it('is dropped for its age with many others, some at a time', async () => {
    const other = await createMerchant(test.database, { balance: 0 });
    for (let n = 0; n < 25; n += 1)
      await makeOld((await draftOf(test.database, other, [row(12_002)])).batch.id);
    const left = async () => {
      await dropOldDrafts(asRole(test.database, 'worker'));
      const rows = await test.sql`SELECT count(*)::int AS left FROM batches b
        JOIN batch_items i ON i.batch_id = b.id WHERE account_id = ${other.accountId}`;
      return rows[0].left;
    };
    assert.deepEqual([await left(), await left()], [5, 0]);
  });

  it('starts no row that no process of ours wrote, and a person is told', async () => {
    const { run } = await draftOf(test.database, merchant, [row(12_003)]);
    await startBatch(test.database, run);
    await test.sql`UPDATE batch_items SET amount = amount + 100 WHERE batch_id = ${run.batchId}`;
    const items: ItemFlows = { begin: async () => assert.fail('it is not started'), tell: async () => null };
    await assert.rejects(startItems(items, run), /is not what a process of ours wrote/);
    const [entry] = await attentionOf(test.database, batchWorkflowIdOf(run.batchId));
    assert.equal(entry?.reason, 'broken');
    await move(run, 'running', 'cancelled');
    assert.equal((await countBatch(test.database, run)).isOver, true);
  });

  it('that waited for its time when Postgres was restored starts only when it is said again', async () => {
    const { run } = await draftOf(test.database, merchant, [row(13_001)]);
    const later = { ...run, startAt: new Date(Date.now() + 86_400_000).toISOString() };
    assert.equal((await startBatch(test.database, later)).kind, 'scheduled');
    await makeOld(run.batchId);
    await pauseBatches(test.database);
    await dropOldDrafts(test.database);
    assert.equal((await now(run)).status, 'draft', 'it is no draft that nobody wanted');
    // Its flow still waits, and its time comes.
    assert.deepEqual(await startBatch(test.database, { ...run, startAt: null }, true), { kind: 'closed' });
    assert.equal((await now(run)).held, 0);
    assert.deepEqual(
      await startBatch(test.database, run),
      { kind: 'closed' },
      'it was said before the restore',
    );
    const said = { ...run, again: true as const };
    assert.equal((await startBatch(test.database, said)).kind, 'running', 'somebody said so');
  });

  it('gives back to the minor unit what was cancelled beside items that failed and were paid', async () => {
    const { run } = await draftOf(test.database, merchant, [14_001, 14_002, 14_003, 14_004].map(row));
    await startBatch(test.database, run);
    const [first, second] = await nextSubmissions(test.database, run);
    assert.ok(first && second);
    for (const submission of [first, second]) await accept(test.database, submission);
    await tryToEnd(test.database, first.transactionId, refused);
    await move(run, 'running', 'cancelled');
    const progress = await countBatch(test.database, run);
    assert.deepEqual(
      [progress.pending, progress.failed, progress.cancelled, progress.isOver],
      [1, 1, 2, false],
    );
    await tryToEnd(test.database, second.transactionId, refused);
    assert.equal((await countBatch(test.database, run)).isOver, true);
    assert.equal((await now(run)).held, 0);
  });

  it('is made once by two requests with its number at the same moment', async () => {
    const batchNumber = 'AT-ONCE';
    const made = await Promise.all(
      [1, 2, 3, 4].map(() => draftOf(test.database, merchant, [row(15_001)], { batchNumber })),
    );
    assert.equal(new Set(made.map(({ batch }) => batch.id)).size, 1);
  });

  it('is cancelled while its items are accepted: each has its hold, or none', async () => {
    const { run } = await draftOf(
      test.database,
      merchant,
      Array.from({ length: 40 }, (_, i) => row(16_001 + i)),
    );
    await startBatch(test.database, run);
    const submissions = await nextSubmissions(test.database, run);
    await Promise.all([
      ...submissions.map((submission) => accept(test.database, submission)),
      move(run, 'running', 'cancelled'),
      ...[1, 2, 3].map(() => countBatch(test.database, run)),
    ]);
    const progress = await countBatch(test.database, run);
    assert.equal((await now(run)).held, 0);
    assert.equal(progress.pending + progress.cancelled, 40);
  });

  it('is counted beside items that refer to it: they would wait for each other', async () => {
    const { batch } = await draftOf(test.database, merchant, [row(17_001)]);
    await inTransaction(test.database, async (item) => {
      // As the foreign key of an item's row does.
      await item.query('SELECT FROM batches WHERE id = $1 FOR KEY SHARE', [batch.id]);
      const locked = await inTransaction(test.database, (db) => lockBatch(db, batch.id));
      assert.equal(locked?.id, batch.id);
    });
  });

  it('is refused beyond the number of drafts of an account, however many come at the same moment', async () => {
    const busy = await createMerchant(test.database, { balance: 0 });
    const made = await Promise.allSettled(
      Array.from({ length: DRAFTS_MAX + 5 }, () => draftOf(test.database, busy, [row(18_001)])),
    );
    assert.equal(made.filter(({ status }) => status === 'fulfilled').length, DRAFTS_MAX);
    for (const each of made) if (each.status === 'rejected') assert.equal(each.reason.code, 'batch_state');
  });

  it('is told to a payout of the same that its item is about to be paid', async () => {
    const careful = await createMerchant(test.database, { balance: 1_000_000 });
    const twin = () => submissionFor(careful, mobilePayoutRequest(19_000, '255754190001'));
    await limitTo(test.database, careful, { duplicate_window_s: 60 });
    const { run } = await draftOf(test.database, careful, [{ amount: 19_000, msisdn: '255754190001' }]);
    const codeOf = async () => JSON.parse((await accept(test.database, twin())).answer.body).code;
    await startBatch(test.database, run);
    assert.equal(await codeOf(), 'duplicate_suspected');
    await move(run, 'running', 'cancelled');
    await countBatch(test.database, run);
    assert.equal(await codeOf(), undefined);
  });

  it('keeps its totals when it is over, and its rows that never became payouts for their time only', async () => {
    const { run } = await draftOf(test.database, merchant, [20_001, 20_002, 20_003].map(row));
    await startBatch(test.database, run);
    const [first] = await nextSubmissions(test.database, run);
    assert.ok(first);
    await accept(test.database, first);
    await move(run, 'running', 'cancelled');
    await tryToEnd(test.database, first.transactionId, refused);
    await countBatch(test.database, run);
    const shown = async () => (await presentBatches(test.database, [await now(run)]))[0]?.totals;
    const ended = { paid: 0, failed: 1, cancelled: 2 };
    const rows = async () =>
      (await itemsOf(test.database, { batchId: run.batchId, status: null, after: 0, offset: 0, count: 9 }))
        .length;
    const age = (days: number) => test.sql`UPDATE batches
      SET finished_at = now() - make_interval(days => ${days}) WHERE id = ${run.batchId}`;
    assert.deepEqual({ ...(await shown()), ...ended }, await shown());
    await age(keptDays.batch_rows - 1);
    await keepPartitions(asRole(test.database, 'worker'));
    assert.equal(await rows(), 3);
    await age(keptDays.batch_rows + 1);
    await keepPartitions(asRole(test.database, 'worker'));
    assert.equal(await rows(), 1, 'the one that became a payout stays');
    assert.deepEqual({ ...(await shown()), ...ended }, await shown());
  });

  it('of ten thousand goes back whole, and names its twins, before a statement takes too long', async () => {
    const rich = await createMerchant(test.database, { balance: 200_000_000 });
    const { run } = await draftOf(
      test.database,
      rich,
      Array.from({ length: 10_000 }, () => ({})),
    );
    assert.equal((await startBatch(test.database, run)).kind, 'running');
    await move(run, 'running', 'cancelled');
    assert.equal((await countBatch(test.database, run)).isOver, true);
    assert.equal((await balanceOf(test.database, run.accountId, 'TZS')).current, 200_000_000 * 100);
    const same = Array.from({ length: 10_000 }, () => ({ msisdn: '255754888888' }));
    const { batch } = await draftOf(test.database, rich, same, { allowTwins: true });
    assert.deepEqual(batch.errors, []);
    const { batch: named } = await draftOf(test.database, rich, same);
    assert.equal(named.errors.length, 9_999);
  });

  it('of ten thousand is looked at beside as many payouts of the day that Postgres has not counted yet', async () => {
    const busy = await createTestDatabase();
    try {
      const rich = await createMerchant(busy.database, { balance: 200_000_000 });
      const rows = Array.from({ length: 10_000 }, (_, i) => ({
        msisdn: `25575500${String(i).padStart(4, '0')}`,
      }));
      const { batch } = await draftOf(busy.database, rich, rows);
      await busy.database.query(
        `INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, event, amount, currency, fee, fee_version,
           channel, reference, msisdn, metadata, timing, connection, mac, due_at, overdue_at)
         SELECT gen_random_uuid(), b.account_id, b.api_key_id, gen_random_uuid(), 'payout', i.mode, 'payout.pending', i.amount,
           b.currency, 0, b.fee_version, i.channel, 'PO' || i.position, i.msisdn, '{}', '{}', 'test', '', now(), now()
         FROM batches b JOIN batch_items i ON i.batch_id = b.id AND i.position > 1 WHERE b.id = $1`,
        [batch.id],
      );
      assert.equal((await draftOf(busy.database, rich, rows)).batch.errors.length, 9_999);
    } finally {
      await busy.drop();
    }
  });
});
