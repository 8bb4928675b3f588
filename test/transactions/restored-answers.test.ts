import assert from 'node:assert/strict';
import type { AcceptedRow } from '../../src/domain/operation.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept, restoreAccepted } from '../support/accept.ts';
import { useTestDatabase } from '../support/database.ts';
import { createMerchant, mobilePayoutRequest, qrRequest, submissionFor } from '../support/merchant.ts';

/** What is restored is what was accepted: nothing is put in the place of what a history does not say. */
describe('what a history does not say whole, when its transaction is restored', () => {
  const lost = useTestDatabase();
  const test = useTestDatabase();

  /** Accepts it in the database that is lost, and restores it in the other one from a row that was changed. */
  async function restore(
    request: Parameters<typeof submissionFor>[1],
    change: (row: AcceptedRow) => Record<string, unknown> | null,
  ) {
    const merchant = await createMerchant(lost.database, { balance: 100_000 });
    await createMerchant(test.database, { balance: 100_000, as: merchant });
    const submission = submissionFor(merchant, request);
    const accepted = await accept(lost.database, submission);
    const rows = (accepted.rows ?? []).flatMap((row) => change(row) ?? []) as AcceptedRow[];
    const restoring = restoreAccepted(test.database, {
      submission,
      accepted: { ...accepted, rows },
      isDry: false,
    });
    return { restoring, restored: () => getTransaction(test.database, submission.transactionId) };
  }

  for (const member of ['amount', 'fee'])
    it(`is no payout without its ${member}`, async () => {
      const { restoring, restored } = await restore(mobilePayoutRequest(1_000), (row) => ({
        ...row,
        [member]: 100_000.5,
      }));
      await assert.rejects(restoring, /not a safe integer of minor units/);
      assert.equal(await restored(), null);
    });

  it('is no payout of another amount than was asked for', async () => {
    const { restoring, restored } = await restore(mobilePayoutRequest(1_000), (row) => ({
      ...row,
      amount: 99_900,
    }));
    await assert.rejects(restoring, /none that was ever accepted/);
    assert.equal(await restored(), null);
  });

  it('is no QR payment without its control number', async () => {
    const { restoring, restored } = await restore(qrRequest(), (row) => ({ ...row, reference: '' }));
    await assert.rejects(restoring, /does not say its control number/);
    assert.equal(await restored(), null);
  });

  it('is nothing without its row', async () => {
    const { restoring, restored } = await restore(mobilePayoutRequest(1_000), () => null);
    await assert.rejects(restoring, /does not say what was accepted/);
    assert.equal(await restored(), null);
  });
});
