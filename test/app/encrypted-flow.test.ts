import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { createFlows } from '../../src/api/kit/flows.ts';
import { workflowIdOf } from '../../src/domain/ids.ts';
import type { TemporalClient } from '../../src/platform/temporal/connect.ts';
import { sendHistory } from '../../src/transactions/channel/sends.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { entryClosed, sendActivityId, taskQueues, workflowTypes } from '../../src/workflows/messages.ts';
import { startOfSubmission } from '../../src/workflows/start-flow.ts';
import { notify } from '../support/handed-over.ts';
import { sign, submissionKeys } from '../support/key-rings.ts';
import { createMerchant, mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import '../support/quiet-runtime.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';

import { useEncryptedWorkers } from './encrypted-workers.ts';

describe('flows whose payloads are encrypted', function () {
  this.timeout(90_000);
  const encrypted = useEncryptedWorkers();
  const { script, test } = encrypted;
  let temporal: TemporalClient;
  let address: string;
  before(() => {
    temporal = encrypted.temporal();
    address = encrypted.address();
  });

  it('go from the submission to the end, through updates, signals, sends and enquiries', async () => {
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    script.sends = [{ kind: 'unknown', detail: 'reset' }];
    script.enquiries = [{ kind: 'unknown', detail: '503' }, succeeded(50_000)];
    const submission = submissionFor(merchant, mobilePayoutRequest());
    Object.assign(submission.timing, { unclearEnquiryMs: 100, enquiryDelaysMs: [100] });
    const flows = createFlows({ client: temporal.client, connection: temporal.connection, submissionKeys });
    const answer = await flows.submit(submission);
    assert.equal(answer.kind === 'answered' && answer.accepted.mine, true);
    const handle = temporal.client.workflow.getHandle(workflowIdOf(submission.transactionId));
    await flows.signal(submission.transactionId, 'hint');
    assert.equal((await handle.result()).status, 'paid');
    // What operators see is read by the same codec.
    assert.match(String(await (await handle.describe()).staticSummary()), /^Pay /);
    const history = JSON.stringify(await handle.fetchHistory());
    assert.equal(history.includes(Buffer.from('255754123456').toString('base64').slice(0, 12)), false);
  });

  it('read what the notification door completes an open send with, and nothing in plain from a stranger', async () => {
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    Object.assign(script, { sent: [], sends: [{ kind: 'accepted', channelReference: null }] });
    const flows = createFlows({ client: temporal.client, connection: temporal.connection, submissionKeys });
    const open = async () => {
      const submission = submissionFor(merchant, mobilePayoutRequest());
      await flows.submit(submission);
      const id = submission.transactionId;
      await until(async () => (await sendHistory(test.database, id)).answered, 'the channel took the send');
      return { id, handle: temporal.client.workflow.getHandle(workflowIdOf(id)) };
    };
    const own = await open();
    const { send } = await notify(test.database, own.id, succeeded(50_000));
    await flows.completeSend(own.id, send ?? 0);
    assert.equal((await own.handle.result()).status, 'paid');
    const { events = [] } = await own.handle.fetchHistory();
    assert.ok(!events?.some((event) => event.workflowExecutionSignaledEventAttributes), 'it was no signal');

    const forged = await open();
    const stranger = await Connection.connect({ address });
    const activity = { workflowId: workflowIdOf(forged.id), activityId: sendActivityId(1) };
    await new Client({ connection: stranger }).activity.complete(activity, { kind: 'answered' });
    await until(
      async () =>
        (await forged.handle.fetchHistory()).events?.some((event) => event.workflowTaskFailedEventAttributes),
      { deadlineMs: 30_000, what: 'its task fails' },
    );
    assert.equal((await getTransaction(test.database, forged.id))?.status, 'pending');
    await forged.handle.terminate();
    await stranger.close();
  });

  it('end with no result, too', async () => {
    const workflowId = `attention/${randomUUID()}/returned`;
    const start = { taskQueue: taskQueues.money, workflowId };
    const handle = await temporal.client.workflow.start(workflowTypes.attention, start);
    await handle.signal(entryClosed);
    assert.equal(await handle.result(), undefined);
  });

  it('are started by a Schedule, again and again', async () => {
    const scheduleId = `sweep-${randomUUID()}`;
    const schedule = await temporal.client.schedule.create({
      scheduleId,
      spec: {},
      action: {
        type: 'startWorkflow',
        workflowType: workflowTypes.sweep,
        workflowId: scheduleId,
        taskQueue: taskQueues.money,
        args: [],
        staticSummary: 'Looks for transactions that nobody is working on',
      },
    });
    // The second run is given the result of the first one.
    for (const run of [0, 1]) {
      await schedule.trigger();
      const ended = await until(
        async () => {
          const action = (await schedule.describe()).info.recentActions[run];
          if (!action) return null;
          const handle = temporal.client.workflow.getHandle(action.action.workflow.workflowId);
          return (await handle.result()) as object;
        },
        { deadlineMs: 30_000, what: 'the sweep that was triggered' },
      );
      assert.ok('resumed' in ended);
    }
    await schedule.delete();
  });

  it('take no input in plain from whoever has no key, and work on for others', async () => {
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    const stranger = await Connection.connect({ address });
    const { workflowType, ...start } = startOfSubmission(
      sign(submissionFor(merchant, mobilePayoutRequest())),
    );
    const handle = await new Client({ connection: stranger }).workflow.start(workflowType, start);
    await until(
      async () => {
        const { events } = await handle.fetchHistory();
        return events?.some((event) => event.workflowTaskFailedEventAttributes);
      },
      { deadlineMs: 30_000, what: 'its task fails' },
    );
    const id = start.workflowId.replace('transaction/', '');
    assert.equal(await getTransaction(test.database, id), null);
    await handle.terminate();
    await stranger.close();
    script.sent.length = 0;
    script.sends = [succeeded(50_000)];
    const flows = createFlows({ client: temporal.client, connection: temporal.connection, submissionKeys });
    const submission = submissionFor(merchant, mobilePayoutRequest());
    await flows.submit(submission);
    assert.equal(
      (await temporal.client.workflow.getHandle(workflowIdOf(submission.transactionId)).result()).status,
      'paid',
    );
  });
});
