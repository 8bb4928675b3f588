// tests: hard
import assert from 'node:assert/strict';
import { nextSubmissions } from '../../src/batches/batch-slices.ts';
import { startBatch } from '../../src/batches/batch-start.ts';
import type { BatchRun } from '../../src/domain/batch.ts';
import { batchesIn, draftOf } from '../support/batches.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { attentionOf } from '../support/unexplained.ts';
import { byPasswordOf } from './by-password.ts';

/** Whoever has the password of one process of Postgres puts rows of an earlier draft in the place of those that were read. */
describe('attack: the items of a batch', () => {
  const test = useTestDatabase();
  const worker = () => asRole(test.database, 'worker');
  const batchNumber = 'SALARIES';
  const STRANGER = '255754666666';
  let merchant: Merchant;
  const as = byPasswordOf(test);
  const ITEM = 'batch_id, position, transaction_id, mode, channel, msisdn, amount, metadata, mac';
  const insertRow = `INSERT INTO batch_items (${ITEM})
    SELECT ${ITEM} FROM jsonb_populate_recordset(NULL::batch_items, $1)`;
  const rowsOf = async ({ batchId }: BatchRun) =>
    (await test.database.query('SELECT * FROM batch_items WHERE batch_id = $1', [batchId])).rows;

  /** A draft for a stranger, forgotten for its age: its rows were read, and their proofs are real. */
  async function rowsOfEarlierDraft(): Promise<string> {
    const { run } = await draftOf(test.database, merchant, [{ amount: 300_000, msisdn: STRANGER }], {
      batchNumber,
    });
    const rows = await rowsOf(run);
    await test.database.query("UPDATE batches SET created_at = now() - interval '8 days' WHERE id = $1", [
      run.batchId,
    ]);
    await as('worker', 'SELECT forget_draft($1)', [run.batchId]);
    assert.deepEqual(await rowsOf(run), []);
    return JSON.stringify(rows);
  }
  const salaries = () =>
    draftOf(test.database, merchant, [{ amount: 300_000, msisdn: '255754123456' }], { batchNumber });
  const reasonsAbout = async (subject: string) =>
    (await attentionOf(test.database, subject)).map(({ reason }) => reason);

  beforeEach(async () => {
    merchant = await createMerchant(test.database, { balance: 1_000_000 });
  });

  for (const role of ['api', 'worker'] as const)
    it(`are not deleted by the ${role}, nor is their draft, nor forgotten on the day on which they were made`, async () => {
      const { run } = await salaries();
      for (const what of [
        'DELETE FROM batch_items WHERE batch_id = $1',
        'DELETE FROM batches WHERE id = $1',
        'UPDATE batch_items SET msisdn = NULL WHERE batch_id = $1',
      ])
        await assert.rejects(as(role, what, [run.batchId]), { code: '42501' }, what);
      await as(role, 'SELECT forget_draft($1)', [run.batchId]);
      assert.equal((await rowsOf(run)).length, 1);
    });

  it('are hashed anew at the start: a draft that was planted with the hash of another pays nobody', async () => {
    const theirs = await rowsOfEarlierDraft();
    const { run } = await salaries();
    const read = await test.database.query('SELECT * FROM batches WHERE id = $1', [run.batchId]);
    await test.database.query('DELETE FROM batches WHERE id = $1', [run.batchId]);
    const plant = 'INSERT INTO batches SELECT * FROM jsonb_populate_recordset(NULL::batches, $1)';
    await as('api', plant, [JSON.stringify(read.rows)]);
    await as('api', insertRow, [theirs]);
    // The merchant sends the batch, and finds what was planted; its approver names the hash of what was read.
    const { run: approved } = await salaries();
    assert.equal(approved.itemsHash, run.itemsHash);
    const started = await startBatch(worker(), approved);
    assert.ok(started.kind === 'refused');
    assert.equal(started.refusal.code, 'items_changed');
    assert.equal((await batchesIn(test).find(run)).held, 0);
    assert.deepEqual(await reasonsAbout(`batches:${run.batchId}`), ['unproven_row']);
  });

  it('are looked at once more when the time of a scheduled batch has come', async () => {
    const { run } = await salaries();
    const startAt = new Date(Date.now() + 3_600_000).toISOString();
    assert.equal((await startBatch(worker(), { ...run, startAt })).kind, 'scheduled');
    await test.database.query("UPDATE batch_items SET full_name = 'A STRANGER' WHERE batch_id = $1", [
      run.batchId,
    ]);
    assert.deepEqual(await startBatch(worker(), run, true), { kind: 'running', run: null });
    const { status, held } = await batchesIn(test).find(run);
    assert.deepEqual([status, held], ['cancelled', 0]);
  });

  it('of an earlier draft are not paid by a batch that runs, though a process of ours wrote them', async () => {
    const theirs = await rowsOfEarlierDraft();
    const { run } = await salaries();
    assert.equal((await startBatch(worker(), run)).kind, 'running');
    await test.database.query('DELETE FROM batch_items WHERE batch_id = $1', [run.batchId]);
    await as('api', insertRow, [theirs]);
    const [planted] = await rowsOf(run);
    assert.equal(planted.msisdn, STRANGER);
    await assert.rejects(nextSubmissions(worker(), run), /is not what a process of ours wrote/);
    assert.deepEqual(await reasonsAbout(`batch_items:${planted.transaction_id}`), ['unproven_row']);
  });

  it('do not begin by the word of who may not start: nor by a batch that is written as started', async () => {
    const { run } = await salaries();
    for (const status of ['running', 'paused', 'scheduled'])
      await assert.rejects(
        as('api', 'UPDATE batches SET status = $2 WHERE id = $1', [run.batchId, status]),
        { code: '23514' },
        status,
      );
    const started = `INSERT INTO batches (id, account_id, api_key_id, batch_number, status, items_hash, currency, items, amount, fees,
        fee_version, allow_twins, quiet, started_by, started_at, held)
      SELECT gen_random_uuid(), account_id, api_key_id, 'STARTED', $2, items_hash, currency, items, amount, fees, fee_version, allow_twins,
        quiet, $3, $4, $5 FROM batches WHERE id = $1`;
    for (const [status, by, at, held] of [
      ['running', null, new Date(), 0],
      ['scheduled', merchant.apiKeyId, null, 0],
      ['draft', merchant.apiKeyId, null, 0],
      ['draft', null, new Date(), 1_000],
    ])
      for (const role of ['api', 'worker'] as const)
        await assert.rejects(
          as(role, started, [run.batchId, status, by, at, held]),
          { code: '42501' },
          `${role} ${status}`,
        );
  });
});
