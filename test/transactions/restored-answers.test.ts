import assert from 'node:assert/strict';
import { crc16 } from '../../src/domain/tanqr.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept, restoreAccepted } from '../support/accept.ts';
import { useTestDatabase } from '../support/database.ts';
import { createMerchant, mobilePayoutRequest, qrRequest, submissionFor } from '../support/merchant.ts';

/** What is restored is what the merchant was answered: nothing is put in the place of what cannot be read. */
describe('an answer that cannot be read whole, when its transaction is restored', () => {
  const lost = useTestDatabase();
  const test = useTestDatabase();

  /** Accepts it in the database that is lost, and restores it in the other one from an answer that was changed. */
  async function restore(
    request: Parameters<typeof submissionFor>[1],
    // biome-ignore lint/suspicious/noExplicitAny: the JSON of an answer
    change: (answer: any) => void,
  ) {
    const merchant = await createMerchant(lost.database, { balance: 100_000 });
    await createMerchant(test.database, { balance: 100_000, as: merchant });
    const submission = submissionFor(merchant, request);
    const { answer, ...accepted } = await accept(lost.database, submission);
    const changed = JSON.parse(answer.body);
    change(changed);
    const stored = { ...answer, body: JSON.stringify(changed) };
    const restoring = restoreAccepted(test.database, {
      submission,
      accepted: { ...accepted, answer: stored },
      isDry: false,
    });
    return { restoring, restored: () => getTransaction(test.database, submission.transactionId) };
  }

  for (const member of ['value', 'fee'])
    it(`is no payout without its ${member}`, async () => {
      const { restoring, restored } = await restore(mobilePayoutRequest(1_000), ({ amount }) => {
        amount[member] = '1000.005';
      });
      await assert.rejects(restoring, /the amount of a stored answer cannot be read/);
      assert.equal(await restored(), null);
    });

  it('is no QR payment without the control number in its code', async () => {
    const { restoring, restored } = await restore(qrRequest(), ({ qr }) => {
      // Tag 62 has 01, the control number, and 05, the reference: 01 becomes one that nobody reads.
      const open = qr.payload.slice(0, -4).replace(/62(\d\d)01/, '62$107');
      qr.payload = open + crc16(open);
    });
    await assert.rejects(restoring, /the QR code of a stored answer has no control number/);
    assert.equal(await restored(), null);
  });
});
