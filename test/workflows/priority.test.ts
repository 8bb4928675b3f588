import assert from 'node:assert/strict';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { startOfRound } from '../../src/workflows/messages.ts';
import { startOfSubmission } from '../../src/workflows/start-flow.ts';
import { useFlowServer } from '../support/flow-server.ts';
import { type Flows, startFlows } from '../support/flows.ts';
import { sign } from '../support/key-rings.ts';
import {
  bankPayoutRequest,
  billRequest,
  createMerchant,
  type Merchant,
  mobilePayoutRequest,
  pushRequest,
  submissionFor,
} from '../support/merchant.ts';
import { createScriptedChannel } from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';

const merchant: Merchant = { accountId: '6d1f5a0e-9a57-4f0a-8d1c-7e108d0f3a52', apiKeyId: 'key' };
/** Payouts of one account that came before all else. */
const BACKLOG = 30;
const priorityOf = (request: MoneyRequest) =>
  startOfSubmission(sign(submissionFor(merchant, request))).priority;

describe('the urgency of work', () => {
  it('is a push before a bill before a payout, and the account’s own among its equals', () => {
    const fairnessKey = merchant.accountId;
    assert.deepEqual(priorityOf(pushRequest()), { priorityKey: 1, fairnessKey });
    assert.deepEqual(priorityOf(billRequest()), { priorityKey: 2, fairnessKey });
    assert.deepEqual(priorityOf(mobilePayoutRequest(1_000)), { priorityKey: 3, fairnessKey });
    assert.deepEqual(priorityOf(bankPayoutRequest(1_000)), { priorityKey: 3, fairnessKey });
    assert.deepEqual(startOfRound({ eventId: 'evt', round: 1 }).priority, { priorityKey: 4 });
  });
});

describe('work that piles up (real Temporal server, as npm start runs it)', () => {
  const server = useFlowServer('real');
  const { test } = server;

  it('lets a push, and then another account’s payout, leave before a backlog of one account', async () => {
    const script = createScriptedChannel();
    const deps = { database: test.database, script };
    // Nobody works the channel's queue yet, so everything piles up there.
    const idle = await startFlows(server.environment, { ...deps, worked: [] });
    let running: Flows | null = idle;
    const submit = async (owner: Merchant, request: MoneyRequest) => {
      const submission = submissionFor(owner, request);
      await idle.submit(submission);
      return submission.transactionId;
    };
    const isQueued = async (id: string) =>
      ((await idle.handle(id).describe()).raw.pendingActivities ?? []).length > 0;
    try {
      const one = await createMerchant(test.database, { balance: 2_000_000 });
      const other = await createMerchant(test.database, { balance: 2_000_000 });
      const backlog: string[] = [];
      for (let n = 0; n < BACKLOG; n += 1) {
        const id = await submit(one, mobilePayoutRequest(1_000));
        backlog.push(id);
        await until(() => isQueued(id), 'it is in the queue');
      }
      const fair = await submit(other, mobilePayoutRequest(1_000));
      const push = await submit(other, pushRequest());
      for (const id of [fair, push]) await until(() => isQueued(id), 'it is in the queue');
      const { raw } = await idle.handle(push).describe();
      assert.equal(raw.workflowExecutionInfo?.priority?.priorityKey, 1);
      assert.equal(raw.workflowExecutionInfo?.priority?.fairnessKey, other.accountId);
      // Activities inherit it on the server, so their order is what shows it.
      await idle.stop();
      running = null;
      running = await startFlows(server.environment, { ...deps, worked: ['m-pesa'], ratePerSecond: 5 });
      const placeOf = (id: string) => script.sent.findIndex((order) => order.transactionId === id);
      await until(() => placeOf(push) >= 0 && placeOf(fair) >= 0, {
        deadlineMs: 120_000,
        what: 'both are sent',
      });
      // Temporal hands over some tasks before it has sorted them all.
      assert.ok(placeOf(push) < BACKLOG / 2, `the push was number ${placeOf(push)}`);
      assert.ok(placeOf(fair) < BACKLOG / 2, `the other account was number ${placeOf(fair)}`);
    } finally {
      await running?.stop();
    }
  }).timeout(240_000);
});
