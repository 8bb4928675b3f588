import assert from 'node:assert/strict';
import type { BillConnection } from '../../src/channels/kit/registry.ts';
import { oweResult } from '../../src/transactions/ending/owed-results.ts';
import { startOfReport, workflowTypes } from '../../src/workflows/messages.ts';
import { deliveryFor } from '../callbacks/delivery.ts';
import { useFlowServer } from '../support/flow-server.ts';
import { type Flows, startFlows } from '../support/flows.ts';
import { createScriptedChannel } from '../support/scripted-channel.ts';

describe('a result that a network is owed', function () {
  this.timeout(60_000);
  let flows: Flows;
  // Before the server's own hook, which closes the connection that the flows hold.
  after(() => flows.stop());
  const server = useFlowServer('skipped');
  const { test } = server;
  const posted: string[] = [];
  let refusals = 0;

  before(async () => {
    const script = createScriptedChannel();
    const bills = {
      async postResult({ receipt }: { receipt: string }) {
        posted.push(receipt);
        refusals -= 1;
        return refusals >= 0 ? { kind: 'unclear', detail: 'HTTP 503' } : { kind: 'taken' };
      },
    };
    const billConnections = [{ id: 'broker', bills }] as unknown as BillConnection[];
    flows = await startFlows(server.environment, {
      database: test.database,
      script: { ...script, channels: { ...script.channels, billConnections } },
      delivery: deliveryFor(test.database),
    });
  });

  const owe = (id: string, receipt: string) =>
    oweResult(test.database, {
      id,
      connection: 'broker',
      channel: 'm-pesa',
      receipt,
      reply: 'ok',
      transactionId: null,
      request: { conversationId: 'C1' },
    });
  const left = async () => (await test.database.query('SELECT FROM owed_results')).rowCount;

  it('is posted until the network takes it, by one workflow', async () => {
    const id = 'aaaaaaaa-0000-4000-8000-000000000001';
    await owe(id, 'R1');
    refusals = 3;
    const start = () =>
      server.environment.client.workflow.start(workflowTypes.reportResult, startOfReport(id));
    const handles = await Promise.all([start(), start()]);
    assert.equal(await handles[0]?.result(), 'taken');
    assert.deepEqual([posted, await left()], [['R1', 'R1', 'R1', 'R1'], 0]);
    assert.equal(new Set(handles.map(({ firstExecutionRunId }) => firstExecutionRunId)).size, 1);
  });

  it('is posted by the sweep when nobody started it', async () => {
    const id = 'aaaaaaaa-0000-4000-8000-000000000002';
    await owe(id, 'R2');
    assert.equal((await flows.sweep.sweep()).resent, 1);
    const handle = server.environment.client.workflow.getHandle(startOfReport(id).workflowId);
    assert.equal(await handle.result(), 'taken');
    assert.deepEqual([posted.at(-1), await left()], ['R2', 0]);
    assert.equal((await flows.sweep.sweep()).resent, 0);
  });
});
