// tests: hard
import assert from 'node:assert/strict';
import { createFlows } from '../../src/api/kit/flows.ts';
import { countBatch } from '../../src/batches/batch-progress.ts';
import { startBatch } from '../../src/batches/batch-start.ts';
import { heldRunOf } from '../../src/batches/batch-store.ts';
import { pauseBatches } from '../../src/batches/restore-batch.ts';
import type { BatchRun } from '../../src/domain/batch.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { inTime } from '../../src/platform/process/promises.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { batchesIn, draftOf } from '../support/batches.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { startFlows } from '../support/flows.ts';
import { submissionKeys } from '../support/key-rings.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { createScriptedChannel, succeeded } from '../support/scripted-channel.ts';
import { useOwnTemporal } from '../support/temporal.ts';
import { attentionOf } from '../support/unexplained.ts';
import { until } from '../support/wait.ts';
import { byPasswordOf } from './by-password.ts';

/** The thief has the worker's password of Postgres and no key; the service runs, and its sweep looks for lost flows. */
describe('attack: the start of a batch', function () {
  this.timeout(60_000);
  const temporal = useOwnTemporal();
  const test = useTestDatabase({ poolMax: 10 });
  const as = byPasswordOf(test);
  const { find, isOver, move } = batchesIn(test);
  const script = createScriptedChannel();
  let flows: Awaited<ReturnType<typeof startFlows>>;
  let api: ReturnType<typeof createFlows>;
  let merchant: Merchant;
  before(async () => {
    const { client, connection } = temporal.environment;
    merchant = await createMerchant(test.database, { balance: 1_000_000 });
    script.sends = [async ({ amount }) => succeeded(amount / 100, `R${script.sent.length}`)];
    flows = await startFlows(temporal.environment, { database: test.database, script });
    api = createFlows({ client, connection, submissionKeys });
  });
  after(() => flows?.stop());

  const draft = async () =>
    (await draftOf(test.database, merchant, [{ amount: 10_000 }], { allowTwins: true })).run;
  const sweep = async ({ batchId }: BatchRun) => {
    await as('worker', "UPDATE batches SET due_at = now() - interval '1 hour' WHERE id = $1", [batchId]);
    await flows.sweep.sweep();
  };
  const reasonsAbout = async ({ batchId }: BatchRun) =>
    (await attentionOf(test.database, `batches:${batchId}`)).map(({ reason }) => reason);

  /** All that a start writes, its hold with a transfer that balances included. */
  const STARTED = `WITH b AS (UPDATE batches SET status = 'running', started_by = api_key_id, started_at = now(), held = amount + fees
      WHERE id = $1 RETURNING *),
    t AS (INSERT INTO transfers (kind, dedupe_key) SELECT 'hold', 'hold:batch:' || id FROM b RETURNING id),
    h AS (INSERT INTO holds (account_id, amount, transfer_id, batch_id) SELECT b.account_id, held, t.id, b.id FROM b, t)
    INSERT INTO entries (transfer_id, ledger_account_id, amount)
    SELECT t.id, a.id, CASE a.kind WHEN 'held' THEN held ELSE -held END FROM t, b
    JOIN ledger_accounts a ON a.account_id = b.account_id AND a.kind IN ('available', 'held') ORDER BY a.id`;

  it('is not written without its approver, hold and all: nothing is sent, people are told, and its merchant ends it', async () => {
    const run = await draft();
    await as('worker', STARTED, [run.batchId]);
    await sweep(run);
    await sweep(run);
    assert.deepEqual(await api.startBatch(run), { kind: 'closed' });
    assert.deepEqual(await reasonsAbout(run), ['unproven_row']);
    const cancelled = await move(run, 'running', 'cancelled');
    assert.ok(cancelled);
    const ending = await heldRunOf(asRole(test.database, 'api'), cancelled);
    assert.ok(ending && !ending.start);
    await api.tellBatch(ending);
    assert.equal((await isOver(run)).held, 0);
    assert.equal(script.sent.length, 0);
    assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).current, 1_000_000_00);
    assert.deepEqual(await checkInvariants(test.database), []);
  });

  it('for a later time is not written, nor is one brought forward: no flow begins', async () => {
    const later = new Date(Date.now() + 86_400_000).toISOString();
    const never = await draft();
    await as(
      'worker',
      "UPDATE batches SET status = 'scheduled', started_by = api_key_id, start_at = now() WHERE id = $1",
      [never.batchId],
    );
    const run = { ...(await draft()), startAt: later };
    assert.equal((await startBatch(asRole(test.database, 'worker'), run)).kind, 'scheduled');
    await as('worker', 'UPDATE batches SET start_at = now() WHERE id = $1', [run.batchId]);
    for (const each of [never, run]) {
      await sweep(each);
      assert.deepEqual(await reasonsAbout(each), ['unproven_row']);
      assert.equal((await find(each)).status, 'scheduled');
    }
    assert.equal(script.sent.length, 0);
  });

  it('is not believed again after a restore made it a draft', async () => {
    const run = { ...(await draft()), startAt: new Date(Date.now() + 86_400_000).toISOString() };
    await startBatch(asRole(test.database, 'worker'), run);
    await pauseBatches(test.database);
    await as('worker', "UPDATE batches SET status = 'scheduled' WHERE id = $1", [run.batchId]);
    await sweep(run);
    assert.deepEqual(await reasonsAbout(run), ['unproven_row']);
  });

  it('as it stood before is not put back with its proof, once the batch goes on', async () => {
    const worker = asRole(test.database, 'worker');
    const run = { ...(await draft()), startAt: new Date(Date.now() + 1_000).toISOString() };
    const kept = 'status, start_at, started_by, started_at, routes, fees, fee_version, mac, held';
    await startBatch(worker, run);
    const old = await as('worker', `SELECT ${kept} FROM batches WHERE id = $1`, [run.batchId]);
    await until(async () => (await startBatch(worker, run, true)).kind === 'running', 'its time comes');
    const back = `UPDATE batches SET (${kept}) = (SELECT ${kept} FROM jsonb_populate_record(NULL::batches, $2)) WHERE id = $1`;
    await assert.rejects(as('worker', back, [run.batchId, JSON.stringify(old.rows[0])]), { code: '42501' });
    // Nor does the proof of the one state say anything of the other.
    await as('worker', 'UPDATE batches SET mac = $2 WHERE id = $1', [run.batchId, old.rows[0].mac]);
    assert.equal(await heldRunOf(worker, await find(run)), null);
  });

  it('that a restore took back is found by its number, though somebody says that its draft has errors', async () => {
    const startAt = new Date(Date.now() + 86_400_000).toISOString();
    const run = { ...(await draft()), startAt };
    await startBatch(asRole(test.database, 'worker'), run);
    await pauseBatches(test.database);
    const error = { row: 1, field: 'amount', message: { id: 'batch_restored', values: {} } };
    await as('api', 'UPDATE batches SET errors = $2 WHERE id = $1', [run.batchId, JSON.stringify([error])]);
    const sentAgain = draftOf(test.database, merchant, [{ amount: 10_000 }], { ...run, allowTwins: true });
    const { batch } = await inTime(sentAgain, 10_000, () => assert.fail('its draft is never found'));
    assert.deepEqual([batch.id, batch.errors.length], [run.batchId, 1]);
  });

  for (const role of ['api', 'worker'] as const)
    it(`is over where the batch was cancelled: the ${role} sets it back to nothing`, async () => {
      const run = await draft();
      assert.equal((await startBatch(asRole(test.database, 'worker'), run)).kind, 'running');
      const set = (status: string) =>
        as(role, 'UPDATE batches SET status = $2 WHERE id = $1', [run.batchId, status]);
      for (const status of ['draft', 'scheduled'])
        await assert.rejects(set(status), { code: '42501' }, status);
      await set('cancelled');
      for (const status of ['running', 'paused', 'scheduled', 'draft'])
        await assert.rejects(set(status), { code: '42501' }, status);
      await countBatch(asRole(test.database, 'worker'), run);
      const { finishedAt } = await find(run);
      assert.ok(finishedAt);
      await assert.rejects(as(role, 'UPDATE batches SET finished_at = NULL WHERE id = $1', [run.batchId]), {
        code: '42501',
      });
    });
});
