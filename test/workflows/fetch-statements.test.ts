import assert from 'node:assert/strict';
import { taskQueues, workflowTypes } from '../../src/workflows/messages.ts';
import { useFlowServer } from '../support/flow-server.ts';
import { startFlows } from '../support/flows.ts';
import { createScriptedChannel } from '../support/scripted-channel.ts';

describe('the flow that fetches statements', () => {
  const server = useFlowServer('skipped');

  it('calls one activity, tries it again, and keeps counts alone', async () => {
    let tried = 0;
    const statements = {
      async fetch() {
        tried += 1;
        if (tried === 1) throw new Error('the network does not answer');
        return { accounts: 2, lines: 3, fenced: false };
      },
    };
    const flows = await startFlows(server.environment, {
      database: server.test.database,
      script: createScriptedChannel(),
      statements,
    });
    try {
      const { workflow } = server.environment.client;
      const start = { workflowId: 'statements', taskQueue: taskQueues.money };
      const handle = await workflow.start(workflowTypes.fetchStatements, start);
      assert.deepEqual(await handle.result(), { accounts: 2, lines: 3, fenced: false });
      const { events = [] } = await handle.fetchHistory();
      const scheduled = events?.filter((one) => one.activityTaskScheduledEventAttributes) ?? [];
      assert.deepEqual([tried, scheduled.length], [2, 1]);
    } finally {
      await flows.stop();
    }
  });
});
