import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { closeFence, liftFence } from '../../src/transactions/care/fence.ts';
import { sendHistory } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept, restoreAccepted } from '../support/accept.ts';
import { type TestDatabase, useTestDatabase } from '../support/database.ts';
import {
  bankPayoutRequest,
  billRequest,
  createMerchant,
  mobilePayoutRequest,
  pushRequest,
  qrRequest,
  submissionFor,
} from '../support/merchant.ts';

describe('what was lost', () => {
  const test = useTestDatabase({ each: true });
  const lost = useTestDatabase({ each: true });

  /** A merchant that is in the copy as well. */
  async function merchantOfBoth() {
    const merchant = await createMerchant(lost.database, { balance: 100_000 });
    return createMerchant(test.database, { balance: 100_000, as: merchant });
  }

  for (const request of [
    mobilePayoutRequest(1_000),
    bankPayoutRequest(2_000),
    pushRequest(),
    billRequest(),
    qrRequest(),
  ])
    it(`is accepted again, the same row, money and bytes, once: ${request.mode}`, async () => {
      const merchant = await merchantOfBoth();
      const submission = submissionFor(merchant, request);
      const accepted = await accept(lost.database, submission);
      const restore = (isDry: boolean) => restoreAccepted(test.database, { submission, accepted, isDry });
      assert.equal(await restore(true), 'restored');
      assert.equal(await getTransaction(test.database, submission.transactionId), null);
      assert.equal(await restore(false), 'restored');
      assert.equal(await restore(false), 'there');
      const again = await accept(test.database, submission);
      assert.deepEqual(again, accepted);
      const before = await getTransaction(lost.database, submission.transactionId);
      const after = await getTransaction(test.database, submission.transactionId);
      assert.deepEqual(after, before);
      const balance = (database: TestDatabase) => balanceOf(database.database, merchant.accountId, 'TZS');
      assert.deepEqual(await balance(test), await balance(lost));
    });

  it('is not of another time than it can be, whatever Temporal says', async () => {
    const merchant = await merchantOfBoth();
    for (const request of [mobilePayoutRequest(1_000), billRequest()]) {
      const submission = submissionFor(merchant, request);
      const accepted = await accept(lost.database, submission);
      const told = { ...accepted, at: '2020-01-01T00:00:00.000000Z' };
      await restoreAccepted(test.database, { submission, accepted: told, isDry: false });
      const created = (await getTransaction(test.database, submission.transactionId))?.createdAt;
      assert.equal(new Date(created ?? '').toISOString(), submission.receivedAt);
    }
  });

  it('may have been sent, however late Temporal says that it was accepted', async () => {
    const merchant = await merchantOfBoth();
    const submission = submissionFor(merchant, mobilePayoutRequest(1_000));
    const accepted = await accept(lost.database, submission);
    const at = new Date(Date.parse(submission.receivedAt) + 5 * 60_000).toISOString();
    await restoreAccepted(test.database, { submission, accepted: { ...accepted, at }, isDry: false });
    await closeFence(test.database, 'a test');
    await liftFence(test.database, null);
    assert.equal((await sendHistory(test.database, submission.transactionId)).restored, true);
    assert.equal(
      (await sendHistory(test.database, randomUUID())).restored,
      true,
      'nor one that is not there',
    );
  });

  it('counts against the limits of the day on which it was accepted, once', async () => {
    const merchant = await merchantOfBoth();
    const day = '2026-01-09';
    // In Dar es Salaam it is the ninth already.
    const receivedAt = '2026-01-08T21:30:00.000Z';
    const submission = submissionFor(merchant, mobilePayoutRequest(1_000));
    const accepted = await accept(lost.database, submission);
    for (const isDry of [true, false, false])
      await restoreAccepted(test.database, { submission: { ...submission, receivedAt }, accepted, isDry });
    const counted = async () =>
      await test.sql`SELECT day::text, value, payouts FROM payout_days
        WHERE account_id = ${merchant.accountId} ORDER BY api_key_id`;
    const once = { day, value: submission.request.amount, payouts: 1 };
    assert.deepEqual(await counted(), [once, once], 'the key and the account');
    assert.deepEqual(await checkInvariants(test.database), []);
    await tryToEnd(test.database, submission.transactionId, { kind: 'cancelled_before' });
    const nothing = { day, value: 0, payouts: 0 };
    assert.deepEqual(await counted(), [nothing, nothing]);
    assert.deepEqual(await checkInvariants(test.database), []);
  });

  it('stays out, and is named, where its account or its money is not there', async () => {
    const merchant = await merchantOfBoth();
    const submission = submissionFor(merchant, mobilePayoutRequest(60_000));
    const accepted = await accept(lost.database, submission);
    const restore = (one: typeof submission) =>
      restoreAccepted(test.database, { submission: one, accepted, isDry: false });
    assert.equal(await restore({ ...submission, apiKeyId: 'nobody' }), 'account_unknown');
    await accept(test.database, submissionFor(merchant, mobilePayoutRequest(50_000)));
    assert.equal(await restore(submission), 'uncovered');
    assert.equal(await getTransaction(test.database, submission.transactionId), null);
  });
});
