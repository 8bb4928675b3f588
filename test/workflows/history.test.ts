import assert from 'node:assert/strict';
import { defaultPayloadConverter } from '@temporalio/common';
import { createFlows } from '../../src/api/kit/flows.ts';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { sendHistory } from '../../src/transactions/channel/sends.ts';
import { useFlowServer } from '../support/flow-server.ts';
import { type Flows, startFlows } from '../support/flows.ts';
import { submissionKeys } from '../support/key-rings.ts';
import { createMerchant, mobilePayoutRequest, pushRequest, submissionFor } from '../support/merchant.ts';
import {
  createScriptedChannel,
  failure,
  type ScriptedChannel,
  succeeded,
} from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';

const LIMITS = { events: 17, workflowTasks: 2, bytes: 16 * 1024 };

const happy = [
  {
    flow: 'push',
    request: pushRequest(5_000),
    amount: 5_000,
    ended: 'completed',
    waiting: 'Handing over to m-pesa, then waiting for the customer to enter the PIN',
  },
  {
    flow: 'payout',
    request: mobilePayoutRequest(50_000),
    amount: 50_000,
    ended: 'paid',
    waiting: 'Handing over to m-pesa, then waiting for m-pesa to pay',
  },
];

describe('the history of a flow (real Temporal server, started as the API starts it)', () => {
  const server = useFlowServer('real');
  const { test } = server;
  let script: ScriptedChannel;
  let flows: Flows;
  const links = { runbooksUrl: 'https://docs.example/operations/', workflowUrl: () => null };

  beforeEach(async () => {
    script = createScriptedChannel();
    flows = await startFlows(server.environment, { database: test.database, script, links });
  });
  afterEach(() => flows.stop());

  /** Submits, and waits until the flow waits: its channel took the send. */
  async function startAndWait(request: MoneyRequest) {
    const merchant = await createMerchant(test.database, { balance: 100_000 });
    const submission = submissionFor(merchant, request);
    await createFlows({
      client: server.environment.client,
      connection: server.environment.connection,
      submissionKeys,
    }).submit(submission);
    const handle = flows.handle(submission.transactionId);
    const taken = async () => (await sendHistory(test.database, submission.transactionId)).answered;
    await until(taken, 'the channel took the send');
    return { id: submission.transactionId, handle };
  }

  type Handle = ReturnType<Flows['handle']>;
  const eventsOf = async (handle: Handle) => (await handle.fetchHistory()).events ?? [];

  for (const { flow, request, amount, ended, waiting } of happy) {
    it(`has few events, workflow tasks and bytes: a ${flow}`, async () => {
      const { id, handle } = await startAndWait(request);
      await flows.notify(id, succeeded(amount), `paid-${id}`);
      await handle.result();
      const { historyLength, historySize, searchAttributes } = await handle.describe();
      const { TransactionStatus: status, Channel: channel } = searchAttributes;
      assert.deepEqual([status, channel], [[ended], ['m-pesa']], 'it is found by what became of it');
      const tasks = (await eventsOf(handle)).filter(
        (event) => event.workflowTaskScheduledEventAttributes,
      ).length;
      assert.ok(historyLength <= LIMITS.events, `${historyLength} events`);
      assert.ok(tasks <= LIMITS.workflowTasks, `${tasks} workflow tasks`);
      assert.ok((historySize ?? Number.POSITIVE_INFINITY) <= LIMITS.bytes, `${historySize} bytes`);
    });

    it(`can be read by an operator without opening the code: a ${flow}`, async () => {
      const { id, handle } = await startAndWait(request);
      const details = String(await currentDetails(handle));
      assert.ok(details.includes(`\n\n${waiting}`), details);
      assert.match(details, /^\*\*[\d,]+\.00 TZS\*\* · 0754\*\*\*456 · `malipo find .*`\n/);
      assert.match(details, /Times on this page are UTC/);
      const { searchAttributes } = await handle.describe();
      assert.deepEqual(searchAttributes.Amount, [amount]);
      await flows.notify(id, succeeded(amount), `read-${id}`);
      await handle.result();
      const steps = (await eventsOf(handle)).filter(
        (event) =>
          event.workflowExecutionStartedEventAttributes ||
          event.activityTaskScheduledEventAttributes ||
          event.markerRecordedEventAttributes,
      );
      const summaries = steps.map((event) => {
        const summary = event.userMetadata?.summary;
        return summary ? defaultPayloadConverter.fromPayload(summary) : 'nothing is said';
      });
      assert.equal(summaries.length, 4, 'the start, the send, two local activities');
      assert.equal(new Set(summaries).size, 4, summaries.join(' | '));
      assert.ok(!summaries.includes('nothing is said'), summaries.join(' | '));
      assert.doesNotMatch(summaries.join(' | '), /754123456/, 'a summary names no customer');
    });
  }

  it('says why a person is needed, with a link to the page, and ends with its state and why', async () => {
    const { id, handle } = await startAndWait(pushRequest(5_000));
    await flows.notify(id, succeeded(5_100, `odd-${id}`), `odd-${id}`);
    const link = '[suspense.md](https://docs.example/operations/suspense.md)';
    const isSaid = async () => {
      const details = String(await currentDetails(handle));
      return details.includes('**A person is needed.** `wrong_amount`: ') && details.includes(link);
    };
    await until(isSaid, 'the details say so');
    const refusal = failure('customer_declined');
    await flows.notify(id, refusal, `declined-${id}`);
    assert.deepEqual(await handle.result(), { status: 'failed', failure_code: 'customer_declined' });
    assert.match(String(await currentDetails(handle)), /It is failed: `customer_declined`\n\n\*\*A person/);
  });

  /** What the Temporal UI shows above a workflow. */
  async function currentDetails(handle: Handle): Promise<unknown> {
    const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    return metadata.currentDetails;
  }
});
