import assert from 'node:assert/strict';
import { freePort } from '../../sandbox/local/ports.ts';
import { createFlows, type Flows } from '../../src/api/kit/flows.ts';
import { workflowIdOf } from '../../src/domain/ids.ts';
import { createTemporalClient, type TemporalClient } from '../../src/platform/temporal/connect.ts';
import { registerSearchAttributes } from '../../src/platform/temporal/search-attributes.ts';
import { summaryOf } from '../../src/workflows/start-flow.ts';
import { ringOf, submissionKeys } from '../support/key-rings.ts';
import { bankPayoutRequest, mobilePayoutRequest, pushRequest, submissionFor } from '../support/merchant.ts';
import { startTemporalDevServer } from '../support/temporal.ts';

const merchant = { accountId: '5f0f4a4e-9d52-4c0e-8f3a-6d1a7b2c9e41', apiKeyId: 'key' };
const timeouts = { submitMs: 800, cancelMs: 800 };

function connect(address: string): TemporalClient {
  return createTemporalClient({
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_API_KEY: undefined,
    TEMPORAL_TLS: false,
    PAYLOAD_ENCRYPTION: false,
    ENCRYPTION_KEY: ringOf(),
  });
}

describe('what the API asks of Temporal', () => {
  it('knows that nothing was sent when Temporal cannot be reached', async () => {
    const temporal = connect(`127.0.0.1:${await freePort()}`);
    const flows = createFlows({ ...temporal, submissionKeys, timeouts });
    const submission = submissionFor(merchant, pushRequest());
    const [submitted, cancelled, reachable] = await Promise.all([
      flows.submit(submission),
      flows.cancel(submission.transactionId),
      flows.isReachable(500),
    ]);
    assert.deepEqual(submitted, { kind: 'not_sent' });
    assert.deepEqual(cancelled, { kind: 'not_sent' });
    assert.equal(reachable, false);
    await temporal.close();
  });

  describe('with a server and no worker', () => {
    let temporal: TemporalClient;
    let flows: Flows;
    before(async () => {
      const { address } = await startTemporalDevServer();
      temporal = connect(address);
      await registerSearchAttributes(temporal.connection, 'default');
      flows = createFlows({ ...temporal, submissionKeys, timeouts });
    });
    after(() => temporal.close());

    it('starts the flow once, under ids and attributes that name nobody, and does not know the outcome', async () => {
      assert.equal(await flows.isReachable(1_000), true);
      const submission = submissionFor(merchant, mobilePayoutRequest());
      const both = await Promise.all([flows.submit(submission), flows.submit(submission)]);
      assert.deepEqual(both, [{ kind: 'unclear' }, { kind: 'unclear' }]);
      const description = await temporal.client.workflow
        .getHandle(workflowIdOf(submission.transactionId))
        .describe();
      assert.equal(description.type, 'payout');
      assert.equal(await description.staticSummary(), 'Pay 50,000.00 TZS over M-PESA');
      const attributes = description.typedSearchAttributes
        .getAll()
        .map(({ key, value }) => [key.name, value]);
      assert.deepEqual(Object.fromEntries(attributes), {
        AccountId: merchant.accountId,
        Amount: 50_000,
        Channel: 'm-pesa',
        TransactionStatus: 'pending',
      });
      assert.doesNotMatch(JSON.stringify(attributes), /0754|255754/);
    });

    it('knows that a flow ended before it answered, and that none runs', async () => {
      const submission = submissionFor(merchant, pushRequest());
      assert.deepEqual(await flows.submit(submission), { kind: 'unclear' });
      await temporal.client.workflow.getHandle(workflowIdOf(submission.transactionId)).terminate('test');
      assert.deepEqual(await flows.submit(submission), { kind: 'closed' });
      assert.deepEqual(await flows.cancel(submission.transactionId), { kind: 'closed' });
      await flows.signal(submission.transactionId, 'stored');
    });

    it('starts anew under a closed id only when it is told that the key is free again', async () => {
      const submission = submissionFor(merchant, pushRequest());
      await flows.submit(submission);
      const handle = temporal.client.workflow.getHandle(workflowIdOf(submission.transactionId));
      const { runId } = await handle.describe();
      await handle.terminate('test');
      assert.deepEqual(await flows.submit(submission, { again: true }), { kind: 'unclear' });
      assert.notEqual((await handle.describe()).runId, runId);
    });
  });

  it('summarises without names and numbers', () => {
    assert.equal(summaryOf(pushRequest()), 'Collect 5,000.00 TZS over M-PESA');
    assert.equal(summaryOf(bankPayoutRequest()), 'Pay 400,000.00 TZS to an account at CORUTZTZ');
  });
});
