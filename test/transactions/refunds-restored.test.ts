import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import type { Accepted, RefundRequest, Submission } from '../../src/domain/operation.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { refundAnswer } from '../../src/transactions/acceptance/answers.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept, restoreAccepted } from '../support/accept.ts';
import { payBill, paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { billRequest, pushRequest, refundRequest, submissionFor } from '../support/merchant.ts';

/** What Temporal remembers of refunds, brought back to a Postgres that has lost them. */
describe('a refund that a restored Postgres has lost', () => {
  const desk = openBillDesk();
  const reserved = async () => (await balanceOf(desk.database, desk.merchant.accountId, 'TZS')).reserved;

  /** The answer that the merchant got: of 1,000 TZS. */
  function remembered(submission: Submission<RefundRequest>): Accepted {
    const money = { amount: minor(100_000), fee: minor(30_000), current: minor(0), reserved: minor(130_000) };
    const body = refundAnswer(submission, money);
    const { transactionId, submissionId, fingerprint } = submission;
    const answer = { transactionId, submissionId, fingerprint, refused: null, body };
    const reference = 'not read of a payout';
    const rows = [{ amount: minor(100_000), fee: minor(30_000), reference }];
    return { answer, mine: true, fees: { version: '2025-01', own: null }, rows };
  }

  /** A push whose end is lost as well: Postgres takes it for pending. */
  async function pendingPush(): Promise<string> {
    const submission = submissionFor(desk.merchant, pushRequest(5_000));
    await accept(desk.database, submission);
    return submission.transactionId;
  }

  async function restored(submission: Submission<RefundRequest>) {
    const restore = { submission, accepted: remembered(submission), isDry: false };
    const before = await reserved();
    assert.equal(await restoreAccepted(desk.database, { ...restore, isDry: true }), 'restored');
    assert.equal(
      await getTransaction(desk.database, submission.transactionId),
      null,
      'a dry run writes nothing',
    );
    assert.equal(await restoreAccepted(desk.database, restore), 'restored');
    assert.equal(await restoreAccepted(desk.database, restore), 'there');
    assert.equal(await reserved(), before + 130_000, 'held once');
    const { answer } = await accept(desk.database, submission);
    assert.equal(answer.body, restore.accepted.answer.body, 'its key has the very bytes');
    const stored = await getTransaction(desk.database, submission.transactionId);
    assert.ok(stored?.mode === 'refund');
    assert.deepEqual([stored.status, stored.amount, stored.fee], ['pending', 100_000, 30_000]);
    return stored;
  }

  it('comes back with its hold and its answer, also where the end of its push is lost', async () => {
    const id = await pendingPush();
    const named = refundRequest(id, { receipt: 'A-RECEIPT-THAT-IS-LOST', reason: 'One came back' });
    const refund = await restored(submissionFor(desk.merchant, named));
    assert.deepEqual([refund.msisdn, refund.refundOf, refund.reason], ['255754123456', id, 'One came back']);
  });

  it('gives back the payment of the bill that it gave back, although more were received after it', async () => {
    const { id, number } = await desk.bill(billRequest(50_000, { mode: 'flexible' }));
    const payments = [
      { receipt: 'R1', msisdn: '255754000111' },
      { receipt: 'R2', msisdn: '255754000222' },
      { receipt: 'R2', msisdn: '255784000333', channel: 'airtel-money', connection: 'other' },
    ];
    for (const payment of payments) await payBill(desk.database, paymentOf(number, 5_000, payment));
    const payerOf = async (changes: Partial<Omit<RefundRequest, 'amount'>>) =>
      (await restored(submissionFor(desk.merchant, refundRequest(id, changes)))).msisdn;
    assert.equal(await payerOf({}), '255754000111');
    assert.equal(await payerOf({ receipt: 'R2' }), '255754000222');
    assert.equal(await payerOf({ receipt: 'R2', channel: 'airtel-money' }), '255784000333');
  });

  it('is named where its payment, or the payment of its bill, is lost for good', async () => {
    const { id } = await desk.bill(billRequest(5_000));
    for (const refundOf of [id, '0c8a4f0e-6f3b-5d0d-9d52-0f1f6f0c9a11']) {
      const submission = submissionFor(desk.merchant, refundRequest(refundOf));
      const restore = { submission, accepted: remembered(submission), isDry: false };
      await assert.rejects(restoreAccepted(desk.database, restore), new RegExp(`${refundOf} is not there`));
    }
  });

  it('is named, and pays nobody, where its payer was erased', async () => {
    const id = await pendingPush();
    const submission = submissionFor(desk.merchant, refundRequest(id));
    await desk.sql`UPDATE transactions SET msisdn = '255000000000' WHERE id = ${id}`;
    const before = await reserved();
    const restore = { submission, accepted: remembered(submission), isDry: false };
    await assert.rejects(restoreAccepted(desk.database, restore), /its payer was erased/);
    assert.equal(await reserved(), before);
  });

  it('comes back once when the connection breaks at any statement', async () => {
    const submissionOf = async () =>
      submissionFor(desk.merchant, refundRequest(await pendingPush(), { amount: 1_000 }));
    const restore = (submission: Submission<RefundRequest>) => ({
      submission,
      accepted: remembered(submission),
      isDry: false,
    });
    const whole = failingDatabase(desk.database, { at: 0, answerLost: false });
    await restoreAccepted(whole.database, restore(await submissionOf()));
    for (let at = 1; at <= whole.statements(); at += 1)
      for (const answerLost of [false, true]) {
        const submission = await submissionOf();
        const before = await reserved();
        const failing = failingDatabase(desk.database, { at, answerLost });
        await assert.rejects(restoreAccepted(failing.database, restore(submission)), ConnectionLost);
        await restoreAccepted(desk.database, restore(submission));
        assert.equal(await reserved(), before + 130_000, `held once, broken at ${at}`);
      }
  }).timeout(60_000);
});
