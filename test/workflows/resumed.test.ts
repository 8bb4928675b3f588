import assert from 'node:assert/strict';
import type { Submission } from '../../src/domain/operation.ts';
import type { FlowTiming } from '../../src/domain/timing.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { startOfFirst, startOfResumed } from '../../src/workflows/start-flow.ts';
import { accept } from '../support/accept.ts';
import { plantPayback } from '../support/agreed-payback.ts';
import { type OwnFlows, useFlowServer } from '../support/flow-server.ts';
import { mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';

describe('a flow that goes on where another one was lost (skipped time, real durations)', function () {
  this.timeout(120_000);
  const server = useFlowServer('skipped');
  const { test } = server;
  let { merchant, script, flows } = {} as OwnFlows;
  beforeEach(async () => {
    ({ merchant, script, flows } = await server.open({ balance: 100_000 }));
  });
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

  const payout = (): Submission => submissionFor(merchant, mobilePayoutRequest(50_000));
  const balance = () => balanceOf(test.database, merchant.accountId, 'TZS');
  const ended = (id: string) => flows.ended(id);
  const untilSent = () => until(() => script.sent.length > 0, 'the send');

  /** As the sweep finds it: due, and no workflow runs. */
  async function resume(id: string): Promise<void> {
    await test.sql`UPDATE transactions SET due_at = now() - interval '1 hour' WHERE id = ${id}`;
    assert.ok((await flows.sweep.sweep()).resumed >= 1);
  }

  /** Accepted, and its workflow was lost before it did anything else. */
  async function acceptedOnly(timing: Partial<FlowTiming> = {}): Promise<string> {
    const submission = payout();
    Object.assign(submission.timing, timing);
    await accept(test.database, submission);
    return submission.transactionId;
  }

  it('asks before it sends anything', async () => {
    const id = await acceptedOnly();
    script.enquiries = [succeeded(50_000)];
    await resume(id);
    assert.equal(await ended(id), 'paid');
    assert.deepEqual([script.sent.length, script.enquired], [0, 1]);
  });

  it('sends what the channel does not know for as long as that is wanted', async () => {
    const id = await acceptedOnly();
    script.enquiries = [{ kind: 'not_found' }];
    script.sends = [succeeded(50_000)];
    await resume(id);
    assert.equal(await ended(id), 'paid');
    assert.equal(script.sent.length, 1);
  });

  it('sends nothing that was accepted too long ago, and gives the money back', async () => {
    const id = await acceptedOnly({ sendQueueMs: 0 });
    script.enquiries = [{ kind: 'not_found' }];
    await resume(id);
    assert.equal(await ended(id), 'failed');
    assert.equal(script.sent.length, 0);
    assert.deepEqual(await balance(), { current: 10_000_000, reserved: 0 });
  });

  it('counts the sends of the flow that was lost', async () => {
    const submission = payout();
    script.sends = [{ kind: 'unknown', detail: 'timeout' }];
    script.enquiries = [{ kind: 'not_found' }];
    await flows.submit(submission);
    await untilSent();
    // The server skips no time while an activity is open, and never closes one of a workflow that was ended.
    await server.environment.sleep('5s');
    await flows.handle(submission.transactionId).terminate('lost');
    await resume(submission.transactionId);
    assert.equal(await ended(submission.transactionId), 'failed');
    assert.equal(script.sent.length, 3, 'as many as one flow may send');
  });

  it('reads a stored notification although a hint came after it', async () => {
    const id = await acceptedOnly();
    // Stored, and no flow runs that a signal could reach.
    await flows.notify(id, succeeded(50_000), `paid-${id}`).catch(() => {});
    const payout = await getTransaction(test.database, id);
    assert.ok(payout);
    const { workflowType, ...start } = startOfResumed(payout);
    await server.environment.client.workflow.signalWithStart(workflowType, {
      ...start,
      signal: 'channelResult',
      signalArgs: ['hint'],
    });
    assert.equal(await ended(id), 'paid');
    assert.equal(script.enquired, 0, 'the notification says all');
  });

  it('asks again at once when a hint comes while the channel is asked', async () => {
    const submission = payout();
    const id = submission.transactionId;
    Object.assign(submission.timing, { enquiryDelaysMs: [10 * 60 * 60_000] });
    script.sends = [{ kind: 'unknown', detail: 'timeout' }];
    script.enquiries = [{ kind: 'unknown', detail: '504' }, succeeded(50_000)];
    await flows.submit(submission);
    await untilSent();
    await server.environment.sleep('10m');
    await until(() => script.enquired === 1, 'the first enquiry');
    await flows.handle(id).signal('channelResult', 'hint');
    await until(
      async () => (await getTransaction(test.database, id))?.status === 'paid',
      'the second enquiry, hours before its time',
    );
    // An activity that is still open when the worker stops would keep the server from skipping time in the next test.
    assert.equal(await ended(id), 'paid');
  });

  describe('over a copy of Postgres that lost commits', () => {
    /** Whatever was accepted until now may have been sent, although the copy does not know of it. */
    const restoreCopy = () => test.sql`UPDATE fence SET lifted_at = clock_timestamp()`;

    it('sends nothing again that the copy does not know as sent', async () => {
      const id = await acceptedOnly();
      await restoreCopy();
      script.enquiries = [{ kind: 'not_found' }];
      await resume(id);
      assert.equal(await ended(id), 'failed');
      assert.equal(script.sent.length, 0);
    });

    it('asks about a payback that it was to begin', async () => {
      const { id } = await plantPayback(test.database);
      await restoreCopy();
      script.enquiries = [succeeded(500)];
      const payback = await getTransaction(test.database, id);
      assert.ok(payback);
      const { workflowType, ...start } = startOfFirst(payback);
      await server.environment.client.workflow.start(workflowType, start);
      assert.equal(await ended(id), 'paid');
      assert.deepEqual([script.sent.length, script.enquired], [0, 1]);
    });
  });
});
