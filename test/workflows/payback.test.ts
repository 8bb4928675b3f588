import assert from 'node:assert/strict';
import type { EnquiryResult, SendResult } from '../../src/domain/channel.ts';
import { workflowIdOf } from '../../src/domain/ids.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { startOfFirst } from '../../src/workflows/start-flow.ts';
import { PAYBACK_VALUE, plantPayback } from '../support/agreed-payback.ts';
import { type OwnFlows, useFlowServer } from '../support/flow-server.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';

describe('the flow of money that goes back to its payer (skipped time, real durations)', () => {
  const server = useFlowServer('skipped');
  const { test } = server;
  let { script, flows } = {} as OwnFlows;
  const delivery = { attempt: () => Promise.reject(new Error('nobody is notified of a payback')) };

  beforeEach(async () => {
    ({ script, flows } = await server.open({ delivery }));
  });
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

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

  const lost = { kind: 'unknown', detail: '504' } as const;
  const answers: [what: string, sent: SendResult, asked: EnquiryResult[], end: string][] = [
    ['is sent at once, and paid', succeeded(500), [], 'paid'],
    ['is in suspense again when the channel refuses it', failure('recipient_not_found'), [], 'failed'],
    ['whose answer is lost is asked about, and never sent again', lost, [lost, lost, succeeded(500)], 'paid'],
  ];
  for (const [what, sent, asked, end] of answers)
    it(what, async () => {
      const { id, isOpen } = await agreed();
      script.sends = [sent];
      script.enquiries = [...asked];
      await begin(id);
      assert.equal(await flows.ended(id), end);
      assert.deepEqual([script.sent.length, script.enquired], [1, asked.length]);
      assert.equal(script.sent[0]?.amount, PAYBACK_VALUE);
      assert.equal(await isOpen(), end === 'failed');
      await assert.rejects(begin(id), /already started/, 'a second first start is none');
    });

  it('whose first workflow was never started is resumed by the sweep: it asks, and then sends once', async () => {
    const { id } = await agreed();
    await test.sql`UPDATE transactions SET due_at = now() - interval '1 hour' WHERE id = ${id}`;
    script.enquiries = [{ kind: 'not_found' }];
    script.sends = [succeeded(500)];
    await flows.sweep.sweep();
    assert.equal(await flows.ended(id), 'paid');
    assert.equal(script.sent.length, 1);
    assert.ok(script.enquired > 0, 'it asked first');
  });

  it('whose workflow is gone after its send asks, and does not send again', async () => {
    const { id } = await agreed();
    script.sends = [{ kind: 'accepted', channelReference: null }];
    await begin(id);
    await until(() => script.sent.length > 0, 'the send');
    await server.environment.client.workflow.getHandle(workflowIdOf(id)).terminate('a test');
    script.enquiries = [succeeded(500)];
    await test.sql`UPDATE transactions SET due_at = now() - interval '1 hour' WHERE id = ${id}`;
    await flows.sweep.sweep();
    await until(async () => (await server.statusOf(id)) === 'paid', 'the resumed flow finds it');
    assert.equal(script.sent.length, 1);
  });
});
