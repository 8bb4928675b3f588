import assert from 'node:assert/strict';
import { nextSubmissions } from '../../src/batches/batch-slices.ts';
import { startBatch } from '../../src/batches/batch-start.ts';
import { floatOf } from '../../src/reconciliation/float.ts';
import { accept } from '../support/accept.ts';
import { batchesIn, draftOf } from '../support/batches.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { createMerchant } from '../support/merchant.ts';
import { importMoves, walletAccount } from '../support/statements-of-accounts.ts';

describe('the float and batches', () => {
  const test = useTestDatabase({ each: true });
  const wallet = walletAccount();
  const worker = () => asRole(test.database, 'worker');
  async function money() {
    const [float] = await floatOf(test.database, [wallet]);
    assert.ok(float?.left != null);
    return { promised: float.promised / 100, scheduled: float.scheduled / 100, left: float.left / 100 };
  }

  it('promises what a started batch still has to pay over the network, once, and shows what is scheduled beside it', async () => {
    const merchant = await createMerchant(test.database, { balance: 10_000_000 });
    await importMoves(asRole(test.database, 'api'), wallet, [
      { receipt: 'F', amount: 1_000_000, kind: 'funding' },
    ]);
    const rows = [{ amount: 90_000 }, { amount: 90_000 }, { amount: 50_000, channel: 'tigo-pesa' }];
    const { run } = await draftOf(test.database, merchant, rows);
    assert.deepEqual(await money(), { promised: 0, scheduled: 0, left: 1_000_000 }, 'a draft needs nothing');
    await startBatch(worker(), { ...run, startAt: new Date(Date.now() + 3_600_000).toISOString() });
    assert.deepEqual(await money(), { promised: 0, scheduled: 180_000, left: 1_000_000 });
    await startBatch(worker(), run, true);
    const started = { promised: 180_000, scheduled: 0, left: 820_000 };
    assert.deepEqual(await money(), started);
    const [first] = await nextSubmissions(worker(), run);
    assert.ok(first);
    await accept(worker(), first);
    assert.deepEqual(await money(), started, 'an item that is a payout counts once');
    await batchesIn(test).move(run, 'running', 'paused');
    assert.deepEqual(await money(), started);
    await batchesIn(test).move(run, 'paused', 'cancelled');
    assert.deepEqual(await money(), { promised: 90_000, scheduled: 0, left: 910_000 });
  });
});
