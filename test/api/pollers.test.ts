import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { isPolled } from '../../src/api/kit/pollers.ts';
import '../support/quiet-runtime.ts';
import { startTemporalDevServer } from '../support/temporal.ts';
import { until } from '../support/wait.ts';

const queue = { name: 'money', task: 'workflow' } as const;
const at = (seconds: number) => () => seconds * 1_000;

/** A Temporal whose queue was last polled at second 100, while so many tasks wait. */
function temporalWith(backlog: number): Client {
  const describeTaskQueue = async () => ({
    pollers: [{ lastAccessTime: { seconds: 100, nanos: 0 } }],
    stats: { approximateBacklogCount: backlog },
  });
  return { options: { namespace: 'default' }, workflowService: { describeTaskQueue } } as unknown as Client;
}

describe('whether a worker polls a queue', () => {
  it('is said for 30 s after its last poll while a task waits, and while none does for as long as a poll may last', async () => {
    const states = [];
    for (const [backlog, seconds] of [
      [1, 129],
      [1, 131],
      [0, 160],
      [0, 191],
    ] as const)
      states.push(await isPolled(temporalWith(backlog), queue, { now: at(seconds) }));
    assert.deepEqual(states, [true, false, true, false]);
  });

  it('is read from a real server: nobody, a worker, and a worker that is gone', async function () {
    this.timeout(60_000);
    const { address } = await startTemporalDevServer();
    const asked = await Connection.connect({ address });
    const client = new Client({ connection: asked });
    const name = `polled-${randomUUID()}`;
    const own = { name, task: 'activity' } as const;
    assert.equal(await isPolled(client, own), false);
    const connection = await NativeConnection.connect({ address });
    const worker = await Worker.create({
      connection,
      taskQueue: name,
      activities: { nothing: async () => {} },
    });
    await worker.runUntil(() => until(() => isPolled(client, own), 'its poll is seen'));
    assert.equal(await isPolled(client, own, { now: () => Date.now() + 95_000 }), false);
    await connection.close();
    await asked.close();
  });
});
