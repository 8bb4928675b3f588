import assert from 'node:assert/strict';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { createFlows } from '../../src/api/kit/flows.ts';
import { workflowIdOf } from '../../src/domain/ids.ts';
import type { TemporalClient } from '../../src/platform/temporal/connect.ts';
import { sendHistory } from '../../src/transactions/channel/sends.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { sendActivityId } from '../../src/workflows/messages.ts';
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
  let stranger: Connection;
  let flows: ReturnType<typeof createFlows>;
  before(async () => {
    temporal = encrypted.temporal();
    const { client, connection } = temporal;
    flows = createFlows({ client, connection, submissionKeys });
    stranger = await Connection.connect({ address: encrypted.address() });
  });
  after(() => stranger?.close());

  const taskFails = (handle: WorkflowHandle) =>
    until(
      async () =>
        (await handle.fetchHistory()).events?.some((event) => event.workflowTaskFailedEventAttributes),
      { deadlineMs: 30_000, what: 'its task fails' },
    );

  it('read what the notification door completes an open send with, and nothing in plain from a stranger', async () => {
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    script.sends = [{ kind: 'accepted', channelReference: null }];
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
    const activity = { workflowId: workflowIdOf(forged.id), activityId: sendActivityId(1) };
    await new Client({ connection: stranger }).activity.complete(activity, { kind: 'answered' });
    await taskFails(forged.handle);
    assert.equal((await getTransaction(test.database, forged.id))?.status, 'pending');
    await forged.handle.terminate();
  });

  it('take no input in plain from whoever has no key, and work on for others', async () => {
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    const { workflowType, ...start } = startOfSubmission(
      sign(submissionFor(merchant, mobilePayoutRequest())),
    );
    const handle = await new Client({ connection: stranger }).workflow.start(workflowType, start);
    await taskFails(handle);
    const id = start.workflowId.replace('transaction/', '');
    assert.equal(await getTransaction(test.database, id), null);
    await handle.terminate();
    script.sent.length = 0;
    script.sends = [succeeded(50_000)];
    const submission = submissionFor(merchant, mobilePayoutRequest());
    await flows.submit(submission);
    assert.equal(
      (await temporal.client.workflow.getHandle(workflowIdOf(submission.transactionId)).result()).status,
      'paid',
    );
  });
});
