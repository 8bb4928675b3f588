// tests: one connection
import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import { createPreview, previewableOf } from '../../src/transactions/acceptance/previews.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept, restoreAccepted } from '../support/accept.ts';
import { payBill, paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { createTestDatabase } from '../support/database.ts';
import {
  bankPayoutRequest,
  billRequest,
  createMerchant,
  mobilePayoutRequest,
  pushRequest,
  qrRequest,
  submissionFor,
} from '../support/merchant.ts';
import { flat, setOwnFees } from '../support/own-fees.ts';

const rows = { ussd: flat(7), billpay: flat(0, 100), qr: flat(3), mobile: flat(5), bank: flat(11) };
const version = (own: string) => `2025-01+${own}`;

describe('the fees that a transaction was accepted by', () => {
  const desk = openBillDesk();
  const own = (asked: Parameters<typeof setOwnFees>[2] = { rows }) =>
    setOwnFees(desk.database, desk.merchant.accountId, asked);

  it('are those of its account at that moment, by the clock of Postgres', async () => {
    const set = await own();
    for (const [request, fee] of [
      [pushRequest(5_000), 700],
      [mobilePayoutRequest(1_000), 500],
      [bankPayoutRequest(2_000), 1_100],
      [qrRequest(), 300],
    ] as const) {
      // What the API says of the time counts for nothing.
      const receivedAt = new Date(Date.now() - 2_000).toISOString();
      const submission = submissionFor(desk.merchant, request, { receivedAt });
      const accepted = await accept(desk.database, submission);
      assert.deepEqual(accepted.fees?.version, version(set));
      assert.deepEqual(accepted.fees?.own?.rows, rows);
      assert.deepEqual(await accept(desk.database, submission), accepted, 'run again');
      const stored = await getTransaction(desk.database, submission.transactionId);
      assert.deepEqual([stored?.fee, stored?.feeVersion], [fee, version(set)]);
    }
  });

  it('stay those of a bill for every payment of it, whatever is set later', async () => {
    const before = await desk.bill(billRequest(10_000, { mode: 'flexible' }));
    await own();
    const bill = await desk.bill(billRequest(10_000, { mode: 'flexible' }));
    await own({ rows: {} });
    const after = await desk.bill(billRequest(10_000, { mode: 'flexible' }));
    for (const [one, fee] of [
      [before, 7_500],
      [bill, 5_000],
      [after, 7_500],
    ] as const) {
      await payBill(desk.database, paymentOf(one.number, 5_000));
      assert.equal((await desk.stored(one.id)).fee, fee);
    }
  });

  it('come back with it, where the copy of Postgres knows neither, and hold for nothing else', async () => {
    const copy = await createTestDatabase();
    try {
      await createMerchant(copy.database, { balance: 500_000, as: desk.merchant });
      const set = await own();
      const preview = await createPreview(desk.database, {
        accountId: desk.merchant.accountId,
        ...previewableOf(mobilePayoutRequest(2_000)),
        fee: minor(777),
        feeVersion: version(set),
        fullName: null,
      });
      await own({ rows: { mobile: flat(99) } });
      const late = submissionFor(desk.merchant, { ...mobilePayoutRequest(2_000), previewId: preview.id });
      const previewed = await accept(desk.database, late);
      await own();
      const bill = billRequest(10_000, { mode: 'flexible' });
      const all = [pushRequest(5_000), mobilePayoutRequest(1_000), qrRequest(), bill].map((request) =>
        submissionFor(desk.merchant, request),
      );
      const accepted = [previewed];
      for (const submission of all) accepted.push(await accept(desk.database, submission));
      for (const [index, submission] of [late, ...all].entries()) {
        const known = accepted[index];
        assert.ok(known);
        const restore = { submission, accepted: known, isDry: false };
        assert.equal(await restoreAccepted(copy.database, { ...restore, isDry: true }), 'restored');
        assert.equal(await restoreAccepted(copy.database, restore), 'restored');
        assert.equal(await restoreAccepted(copy.database, restore), 'there');
        const [was, is] = await Promise.all(
          [desk, copy].map(({ database }) => getTransaction(database, submission.transactionId)),
        );
        assert.deepEqual([is?.fee, is?.feeVersion], [was?.fee, was?.feeVersion]);
        const again = await accept(copy.database, submission);
        assert.deepEqual([again.answer, again.fees?.own?.rows], [known.answer, known.fees?.own?.rows]);
      }
      const restored = await getTransaction(copy.database, all[3]?.transactionId ?? '');
      assert.ok(restored && 'bill' in restored && restored.bill);
      await payBill(copy.database, paymentOf(restored.bill.controlNumber, 5_000));
      assert.equal((await getTransaction(copy.database, restored.id))?.fee, 5_000);
      const fresh = submissionFor(desk.merchant, pushRequest(5_000, '255754000001'));
      assert.equal((await accept(copy.database, fresh)).fees?.version, '2025-01');
    } finally {
      await copy.drop();
    }
  });
});
