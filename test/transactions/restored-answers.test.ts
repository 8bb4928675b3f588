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

  const PAYOUT = mobilePayoutRequest(1_000);
  type Wrong = Partial<Record<keyof AcceptedRow, unknown>> | null;
  type Case = [request: Parameters<typeof submissionFor>[1], row: Wrong, refused: RegExp];
  const cases: Record<string, Case> = {
    'is no payout without its amount': [PAYOUT, { amount: 100_000.5 }, /not a safe integer of minor units/],
    'is no payout without its fee': [PAYOUT, { fee: 100_000.5 }, /not a safe integer of minor units/],
    'is no payout of another amount than was asked for': [
      PAYOUT,
      { amount: 99_900 },
      /none that was ever accepted/,
    ],
    'is no QR payment without its control number': [
      qrRequest(),
      { reference: '' },
      /does not say its control number/,
    ],
    'is nothing without its row': [PAYOUT, null, /does not say what was accepted/],
  };

  // Accepted in the database that is lost, and restored in the other one from a row that was changed, or from none.
  for (const [what, [request, wrong, refused]] of Object.entries(cases))
    it(what, async () => {
      const merchant = await createMerchant(lost.database, { balance: 100_000 });
      await createMerchant(test.database, { balance: 100_000, as: merchant });
      const submission = submissionFor(merchant, request);
      const accepted = await accept(lost.database, submission);
      const rows =
        wrong === null ? [] : (accepted.rows ?? []).map((row) => ({ ...row, ...wrong }) as AcceptedRow);
      const restored = { submission, accepted: { ...accepted, rows }, isDry: false };
      await assert.rejects(restoreAccepted(test.database, restored), refused);
      assert.equal(await getTransaction(test.database, submission.transactionId), null);
    });
});
