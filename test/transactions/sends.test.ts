import assert from 'node:assert/strict';
import { accept } from '../../src/transactions/accept.ts';
import { recordSend, recordSendOutcome, sendHistory } from '../../src/transactions/sends.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createMerchant, mobilePayoutRequest, submissionFor } from '../support/merchant.ts';

describe('the numbers of sends', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase();
  });
  after(() => test.drop());

  async function accepted(): Promise<string> {
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    const submission = submissionFor(merchant, mobilePayoutRequest());
    await accept(test.database, submission);
    return submission.transactionId;
  }
  const record = async (transactionId: string, number: number) =>
    (await recordSend(test.database, { transactionId, number })).granted;

  for (const outcome of ['not_sent', 'not_found'] as const)
    it(`only rise: after one that was ${outcome} neither it nor a lower one is granted, the next one is`, async () => {
      const transactionId = await accepted();
      assert.equal(await record(transactionId, 2), true);
      await recordSendOutcome(test.database, { transactionId, number: 2, outcome });
      assert.equal(await record(transactionId, 1), false);
      assert.equal(await record(transactionId, 2), false);
      assert.equal((await sendHistory(test.database, transactionId)).last, 2);
      assert.equal(await record(transactionId, 3), true);
    });

  for (const outcome of ['accepted', 'succeeded', 'failed', 'unknown', null] as const)
    it(`end with one that was ${outcome ?? 'not answered yet'}`, async () => {
      const transactionId = await accepted();
      assert.equal(await record(transactionId, 1), true);
      if (outcome) await recordSendOutcome(test.database, { transactionId, number: 1, outcome });
      assert.equal(await record(transactionId, 2), false);
    });
});
