import assert from 'node:assert/strict';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createSendActivities } from '../../src/activities/channel.ts';
import { createEnquiryActivities } from '../../src/activities/enquire.ts';
import { settle } from '../../src/activities/settle.ts';
import { accept } from '../../src/transactions/accept.ts';
import { listAttention } from '../../src/transactions/attention.ts';
import { getTransaction } from '../../src/transactions/store.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createMerchant, mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import { createScriptedChannel, succeeded } from '../support/scripted-channel.ts';

describe('a success that a channel answers', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase();
  });
  after(() => test.drop());

  async function prepared() {
    const merchant = await createMerchant(test.database, { balance: 100_000 });
    const submission = submissionFor(merchant, mobilePayoutRequest(50_000));
    await accept(test.database, submission);
    const script = createScriptedChannel();
    script.sends = [succeeded(50_000)];
    script.enquiries = [succeeded(50_000)];
    const deps = { database: test.database, channels: script.channels };
    const id = submission.transactionId;
    const enquiry = {
      transactionId: id,
      delaysMs: [1_000],
      overdueAfterMs: null,
      notFoundHoldMs: 1_000,
      mismatchFlagged: false,
      timeoutMs: 1_000,
    };
    const environment = new MockActivityEnvironment();
    return {
      id,
      send: () => environment.run(createSendActivities(deps).requestPayout, { transactionId: id, number: 1 }),
      enquire: () => environment.run(createEnquiryActivities(deps).enquire, enquiry),
    };
  }
  const statusOf = async (id: string) => (await getTransaction(test.database, id))?.status;
  const failed = {
    kind: 'answer',
    result: { kind: 'failed', code: 'network_error', channelReference: null },
  } as const;

  for (const way of ['send', 'enquire'] as const) {
    it(`to ${way === 'send' ? 'a send' : 'an enquiry'} is settled before anything else can come between`, async () => {
      const one = await prepared();
      await one[way]();
      assert.equal(await statusOf(one.id), 'paid');
      assert.equal((await settle(test.database, one.id, failed)).status, 'paid');
    });
  }

  it('to an enquiry about what was called failed meanwhile goes to suspense', async () => {
    const one = await prepared();
    await settle(test.database, one.id, failed);
    await one.enquire();
    assert.equal(await statusOf(one.id), 'failed');
    const reasons = (await listAttention(test.database)).filter((entry) => entry.subject === one.id);
    assert.deepEqual(
      reasons.map((entry) => entry.reason),
      ['late_success'],
    );
  });
});
