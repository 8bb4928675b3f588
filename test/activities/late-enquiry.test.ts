import assert from 'node:assert/strict';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createEnquiryActivities } from '../../src/activities/enquire.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { useTestDatabase } from '../support/database.ts';
import { gateOf } from '../support/gate.ts';
import { createMerchant, mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import { createScriptedChannel } from '../support/scripted-channel.ts';

const HOUR_MS = 3_600_000;

describe('an enquiry that waited an hour for a worker', () => {
  const test = useTestDatabase();

  it('lets "not found" hold from when the channel said it, not from when it was to be asked', async () => {
    const merchant = await createMerchant(test.database, { balance: 100_000 });
    const submission = submissionFor(merchant, mobilePayoutRequest(50_000));
    await accept(test.database, submission);
    const { transactionId } = submission;
    const script = createScriptedChannel();
    const notFound = { kind: 'not_found' } as const;
    script.enquiries = [notFound];
    const { enquire } = createEnquiryActivities({
      database: test.database,
      channels: script.channels,
      gate: gateOf(test.database),
    });
    const input = {
      transactionId,
      delaysMs: [60_000],
      overdueAfterMs: null,
      notFoundHoldMs: HOUR_MS / 2,
      mismatchFlagged: false,
      timeoutMs: 1_000,
    };
    const now = Date.now();
    const ask = (attempt: number, currentAttemptScheduledTimestampMs: number) =>
      new MockActivityEnvironment({
        attempt,
        scheduledTimestampMs: now - HOUR_MS,
        currentAttemptScheduledTimestampMs,
      }).run(enquire, input);
    const notYet = { name: 'ApplicationFailure', type: 'NotYet' };

    await assert.rejects(ask(1, now - HOUR_MS), notYet);
    const next = (await getTransaction(test.database, transactionId))?.nextEnquiryAt;
    assert.ok(Date.parse(next ?? '') > now);
    await assert.rejects(ask(2, now + 60_000), notYet);
    assert.deepEqual(await ask(3, now + HOUR_MS), notFound);
  });
});
