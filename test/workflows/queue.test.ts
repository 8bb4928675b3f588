import assert from 'node:assert/strict';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { cancel } from '../../src/workflows/messages.ts';
import { useFlowServer } from '../support/flow-server.ts';
import { startFlows } from '../support/flows.ts';
import { createMerchant, mobilePayoutRequest, pushRequest, submissionFor } from '../support/merchant.ts';
import { createScriptedChannel } from '../support/scripted-channel.ts';

describe('a channel’s queue that nobody works (real Temporal server)', () => {
  const server = useFlowServer('real');
  const { test } = server;

  async function startIdle() {
    const script = createScriptedChannel();
    const deps = { database: test.database, script, worked: [] };
    return { script, flows: await startFlows(server.environment, deps) };
  }

  it('makes payments and payouts fail safely after their limit, because nothing was sent', async () => {
    const merchant = await createMerchant(test.database, { balance: 100_000 });
    const { flows, script } = await startIdle();
    try {
      for (const request of [pushRequest(), mobilePayoutRequest(50_000)]) {
        const submission = submissionFor(merchant, request);
        submission.timing.sendQueueMs = 500;
        await flows.submit(submission);
        assert.equal(await flows.ended(submission.transactionId), 'failed');
        const transaction = await getTransaction(test.database, submission.transactionId);
        assert.equal(transaction?.failureCode, 'network_unavailable');
      }
      assert.equal(script.sent.length, 0);
      assert.deepEqual(await balanceOf(test.database, merchant.accountId, 'TZS'), {
        current: 10_000_000,
        reserved: 0,
      });
    } finally {
      await flows.stop();
    }
  });

  it('lets a cancel win at once, by the merchant or in the Temporal UI, and gives the money back', async () => {
    const merchant = await createMerchant(test.database, { balance: 200_000 });
    const { flows, script } = await startIdle();
    const start = async (request: MoneyRequest) => {
      const submission = submissionFor(merchant, request);
      await flows.submit(submission);
      return submission.transactionId;
    };
    try {
      for (const request of [pushRequest(), mobilePayoutRequest(50_000)]) {
        const asked = await start(request);
        assert.deepEqual(await flows.handle(asked).executeUpdate(cancel), { cancelled: true });
        assert.equal(await flows.ended(asked), 'cancelled');
        const inTheUi = await start(request);
        await flows.handle(inTheUi).cancel();
        assert.equal(await flows.ended(inTheUi), 'cancelled');
      }
      assert.equal(script.sent.length, 0);
      assert.deepEqual(await balanceOf(test.database, merchant.accountId, 'TZS'), {
        current: 20_000_000,
        reserved: 0,
      });
    } finally {
      await flows.stop();
    }
  });
});
