import assert from 'node:assert/strict';
import { workflowIdOf } from '../../src/domain/ids.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { startOfFirst } from '../../src/workflows/start-flow.ts';
import { PAYBACK_VALUE, plantPayback } from '../support/agreed-payback.ts';
import { useFlowServer } from '../support/flow-server.ts';
import { type Flows, startFlows } from '../support/flows.ts';
import { createScriptedChannel, type ScriptedChannel, succeeded } from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';

describe('the flow of money that goes back to its payer (skipped time, real durations)', () => {
  const server = useFlowServer('skipped');
  const { test } = server;
  let script: ScriptedChannel;
  let flows: Flows;
  const delivery = { attempt: () => Promise.reject(new Error('nobody is notified of a payback')) };

  beforeEach(async () => {
    script = createScriptedChannel();
    flows = await startFlows(server.environment, { database: test.database, script, delivery });
  });
  afterEach(async () => {
    await flows.stop();
    assert.deepEqual(await checkInvariants(test.database), []);
  });

  const agreed = () => plantPayback(test.database);
  /** As the API does after the commit. */
  async function begin(id: string): Promise<void> {
    const payback = await getTransaction(test.database, id);
    assert.ok(payback);
    const { workflowType, ...start } = startOfFirst(payback);
    await server.environment.client.workflow.start(workflowType, {
      ...start,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
    });
  }

  it('is sent at once, and paid', async () => {
    const { id, isOpen } = await agreed();
    script.sends = [succeeded(500)];
    await begin(id);
    assert.equal((await flows.handle(id).result()).status, 'paid');
    assert.deepEqual([script.sent.length, script.enquired, script.sent[0]?.amount], [1, 0, PAYBACK_VALUE]);
    assert.equal(await isOpen(), false);
    await assert.rejects(begin(id), /already started/, 'a second first start is none');
  });

  it('is in suspense again when the channel refuses it', async () => {
    const { id, isOpen } = await agreed();
    script.sends = [{ kind: 'failed', code: 'recipient_not_found', channelReference: null }];
    await begin(id);
    assert.equal((await flows.handle(id).result()).status, 'failed');
    assert.equal(await isOpen(), true);
  });

  it('whose answer is lost is asked about, and never sent again blindly', async () => {
    const { id, isOpen } = await agreed();
    script.sends = [{ kind: 'unknown', detail: 'timeout' }];
    script.enquiries = [
      { kind: 'unknown', detail: '504' },
      { kind: 'unknown', detail: '504' },
      succeeded(500),
    ];
    await begin(id);
    assert.equal((await flows.handle(id).result()).status, 'paid');
    assert.deepEqual([script.sent.length, script.enquired], [1, 3]);
    assert.equal(await isOpen(), false);
  });

  it('whose first workflow was never started is resumed by the sweep: it asks, and then sends once', async () => {
    const { id } = await agreed();
    await test.database.query("UPDATE transactions SET due_at = now() - interval '1 hour' WHERE id = $1", [
      id,
    ]);
    script.enquiries = [{ kind: 'not_found' }];
    script.sends = [succeeded(500)];
    await flows.sweep.sweep();
    assert.equal((await flows.handle(id).result()).status, 'paid');
    assert.equal(script.sent.length, 1);
    assert.ok(script.enquired > 0, 'it asked first');
  });

  it('whose workflow is gone after its send asks, and does not send again', async () => {
    const { id } = await agreed();
    script.sends = [{ kind: 'accepted', channelReference: null }];
    await begin(id);
    await until(() => script.sent.length > 0, { deadlineMs: 40_000, what: 'the send' });
    await server.environment.client.workflow.getHandle(workflowIdOf(id)).terminate('a test');
    script.enquiries = [succeeded(500)];
    await test.database.query("UPDATE transactions SET due_at = now() - interval '1 hour' WHERE id = $1", [
      id,
    ]);
    await flows.sweep.sweep();
    await until(async () => (await getTransaction(test.database, id))?.status === 'paid', {
      deadlineMs: 40_000,
      what: 'the resumed flow finds it',
    });
    assert.equal(script.sent.length, 1);
  });
});
