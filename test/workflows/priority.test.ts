import assert from 'node:assert/strict';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { startOfRound } from '../../src/workflows/messages.ts';
import { startOfSubmission } from '../../src/workflows/start-flow.ts';
import { useFlowServer } from '../support/flow-server.ts';
import { startFlows } from '../support/flows.ts';
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
  const delivery = { attempt: async () => ({ kind: 'delivered' as const }) };

  it('lets a push, and then another account’s payout, leave before a backlog of one account', async () => {
    const script = createScriptedChannel();
    // Nobody works the channel's queue yet, so everything piles up there.
    const idle = await startFlows(server.environment, {
      database: test.database,
      script,
      delivery,
      worked: [],
    });
    const submit = async (owner: Merchant, request: MoneyRequest) => {
      const submission = submissionFor(owner, request);
      await idle.submit(submission);
      return submission.transactionId;
    };
    const one = await createMerchant(test.database, { balance: 2_000_000 });
    const other = await createMerchant(test.database, { balance: 2_000_000 });
    const backlog: string[] = [];
    for (let n = 0; n < 40; n += 1) backlog.push(await submit(one, mobilePayoutRequest(1_000)));
    const fair = await submit(other, mobilePayoutRequest(1_000));
    const push = await submit(other, pushRequest());
    const ids = [...backlog, fair, push];
    const queued = async (id: string) => {
      const { raw } = await idle.handle(id).describe();
      return raw.pendingActivities?.find((activity) => activity.activityType?.name?.startsWith('request'));
    };
    await until(async () => (await Promise.all(ids.map(queued))).every(Boolean), {
      deadlineMs: 60_000,
      what: 'every send is in the queue',
    });
    const flows = await startFlows(server.environment, {
      database: test.database,
      script,
      delivery,
      worked: ['m-pesa'],
      ratePerSecond: 10,
    });
    try {
      // Activities inherit it on the server, so their order is what shows it.
      const { raw } = await idle.handle(push).describe();
      assert.equal(raw.workflowExecutionInfo?.priority?.priorityKey, 1);
      assert.equal(raw.workflowExecutionInfo?.priority?.fairnessKey, other.accountId);
      const sent = () => script.sent.map((order) => order.transactionId);
      await until(() => sent().length === ids.length, { deadlineMs: 120_000, what: 'everything is sent' });
      // The queue has four partitions, and the server hands over some before it has sorted them all.
      console.log(sent().indexOf(push), sent().indexOf(fair));
      assert.ok(sent().indexOf(push) < 10, `the push was number ${sent().indexOf(push)}`);
      assert.ok(sent().indexOf(fair) < 20, `the other account was number ${sent().indexOf(fair)}`);
    } finally {
      await flows.stop();
      await idle.stop();
    }
  }).timeout(240_000);
});
