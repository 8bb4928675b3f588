import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { TypedSearchAttributes } from '@temporalio/common';
import { callbackWorkflowIdOf, workflowIdOf } from '../../src/domain/ids.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { abandonSubmission } from '../../src/transactions/acceptance/abandoned.ts';
import { findStored, identityOf } from '../../src/transactions/acceptance/idempotency.ts';
import { searchAttributes, taskQueues } from '../../src/workflows/messages.ts';
import { plantEvent } from '../callbacks/planted.ts';
import { accept } from '../support/accept.ts';
import { type OwnFlows, useFlowServer } from '../support/flow-server.ts';
import { pushRequest, submissionFor } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { listAttention } from '../support/unexplained.ts';
import { until } from '../support/wait.ts';

describe('the sweep (real Temporal server)', () => {
  const server = useFlowServer('real');
  const { test } = server;
  let { merchant, script, flows } = {} as OwnFlows;
  let delivered: string[];
  /** what an attempt waits for */
  let held: Promise<void>;
  let release: () => void;

  beforeEach(async () => {
    delivered = [];
    held = Promise.resolve();
    const delivery = {
      async attempt(eventId: string) {
        delivered.push(eventId);
        await held;
        await test.sql`UPDATE callback_events SET state = 'delivered' WHERE id = ${eventId}`;
        return { kind: 'delivered' as const };
      },
    };
    ({ merchant, script, flows } = await server.open({ delivery }));
  });

  /** A push that was handed over and whose workflow was then lost. */
  async function lostPush() {
    const id = await flows.start(merchant, pushRequest(5_000), { unclearEnquiryMs: 200 });
    await until(() => script.sent.some((order) => order.transactionId === id), 'the send');
    await flows.handle(id).terminate('lost');
    await test.sql`UPDATE transactions SET due_at = now() WHERE id = ${id}`;
    return id;
  }

  it('resumes a lost flow at an enquiry, never at a second send', async () => {
    script.enquiries = [succeeded(5_000)];
    const id = await lostPush();
    const report = await flows.sweep.sweep();
    assert.ok(report.resumed >= 1);
    assert.equal(await flows.ended(id), 'completed');
    assert.equal(script.sent.length, 1);
    assert.equal(script.enquired, 1);
  });

  it('resumes at once what has a stored success and no workflow, however far its next step is', async () => {
    const id = await lostPush();
    await test.sql`UPDATE transactions SET due_at = now() + interval '1 day' WHERE id = ${id}`;
    await flows.notify(id, succeeded(5_000), `gone-${id}`).catch(() => {});
    assert.ok((await flows.sweep.sweep()).resumed >= 1);
    assert.equal(await flows.ended(id), 'completed');
  });

  it('flags workflows whose code throws in a task, before and after they accepted, long before anything is overdue', async () => {
    const accepted = submissionFor(merchant, pushRequest(5_000));
    await accept(test.database, accepted);
    const [known, unknown] = [accepted.transactionId, randomUUID()];
    for (const id of [known, unknown]) await poison(id);
    await untilStuck([known, workflowIdOf(unknown)]);
    for (const id of [known, unknown]) await flows.handle(id).terminate('seen');
    // The tests that follow do not want it back.
    await test.sql`UPDATE transactions SET due_at = now() + interval '1 day' WHERE id = ${known}`;
    await flows.sweep.sweep();
    const stuck = (await listAttention(test.database)).filter(({ reason }) => reason === 'stuck');
    assert.deepEqual(stuck, [], 'neither is stuck any more');
  });

  /** Code that throws no failure of ours is tried again by Temporal for ever, and the workflow is `Running`. */
  async function poison(id: string) {
    await server.environment.client.workflow.start('ussdPush', {
      workflowId: workflowIdOf(id),
      taskQueue: taskQueues.money,
      typedSearchAttributes: new TypedSearchAttributes([{ key: searchAttributes.status, value: 'pending' }]),
      args: [null],
    });
  }
  async function untilStuck(subjects: string[]) {
    const isFlagged = async () => {
      await flows.sweep.sweep();
      const entries = await listAttention(test.database);
      const stuck = entries.filter(({ reason }) => reason === 'stuck').map(({ subject }) => subject);
      return subjects.every((subject) => stuck.includes(subject));
    };
    await until(isFlagged, { deadlineMs: 90_000, everyMs: 1_000, what: 'a person to be notified' });
  }

  it('leaves a flow alone that runs', async () => {
    const id = await flows.start(merchant, pushRequest(5_000));
    assert.equal((await flows.sweep.sweep()).resumed, 0);
    await flows.notify(id, succeeded(5_000), id);
    assert.equal(await flows.ended(id), 'completed');
  });

  it('applies a notification whose signal was lost, without asking the channel', async () => {
    const id = await lostPush();
    await flows.notify(id, succeeded(5_000), `quiet-${id}`).catch(() => {});
    await flows.sweep.sweep();
    assert.equal(await flows.ended(id), 'completed');
    assert.equal(script.enquired, 0);
    assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).current, 490_000);
  });

  it('delivers the event of a transaction whose flow was lost after it settled', async () => {
    const id = await lostPush();
    await flows.notify(id, succeeded(5_000), `orphan-${id}`).catch(() => {});
    await flows.sweep.sweep();
    await flows.handle(id).result();
    await test.sql`UPDATE callback_events SET state = 'pending' WHERE transaction_id = ${id}`;
    delivered = [];
    await flows.sweep.sweep();
    await until(() => delivered.length === 1, 'the delivery');
  });

  it('starts a resend that was queued and never started, and leaves one alone that runs', async () => {
    const eventId = await plantEvent(test.database, merchant);
    await test.sql`UPDATE callback_events SET round = 1, next_attempt_at = now() - interval '1 second'
      WHERE id = ${eventId}`;
    held = new Promise((resolve) => {
      release = resolve;
    });
    assert.equal((await flows.sweep.sweep()).resent, 1);
    assert.equal((await flows.sweep.sweep()).resent, 0, 'it runs');
    await until(() => delivered.includes(eventId), 'the attempt');
    release();
    const handle = server.environment.client.workflow.getHandle(callbackWorkflowIdOf(eventId, 1));
    assert.equal(await handle.result(), 'delivered');
    assert.equal((await flows.sweep.sweep()).resent, 0, 'it is done');
    assert.deepEqual(delivered, [eventId]);
  });

  it('stores a refusal for a submission whose flow ended before it answered, once it is too old', async () => {
    const submission = submissionFor(merchant, pushRequest(5_000));
    await abandonSubmission(test.database, submission);
    await flows.sweep.sweep();
    const find = () => findStored(test.database, merchant.accountId, identityOf(submission));
    assert.equal(await find(), null, 'it may still be accepted');
    await test.sql`UPDATE abandoned_submissions SET noticed_at = now() - interval '16 minutes'`;
    assert.equal((await flows.sweep.sweep()).refused, 1);
    assert.match((await find())?.body ?? '', /submission_expired/);
  });
});
