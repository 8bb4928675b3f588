import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import {
  type Client,
  Connection,
  Client as TemporalClient,
  WithStartWorkflowOperation,
} from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { type BareActivities, bareFlow, notified, submit } from './bare-flow.ts';

/** How long the customer takes, here and in the simulator. */
export const CUSTOMER_MS = 300;

const POLLERS = { type: 'autoscaling', minimum: 2, initial: 4, maximum: 20 } as const;

function createBareActivities(client: Client, over: (id: string) => void): BareActivities {
  return {
    accept: async (id: string) => `accepted ${id}`,
    settle: async (_id: string) => {},
    async requestPush(id: string) {
      // The customer answers later, as the simulator's do.
      setTimeout(() => {
        client.workflow
          .getHandle(id)
          .signal(notified)
          .catch((error: Error) => console.error(`a signal was lost: ${error.message}`));
      }, CUSTOMER_MS);
    },
    async deliverCallback(id: string) {
      over(id);
    },
  };
}

/** Workers and a client for flows that do nothing, on the very server that the gateway uses. */
export async function startBare(address: string) {
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  const client = new TemporalClient({ connection });
  const waiting = new Map<string, () => void>();
  const activities = createBareActivities(client, (id) => waiting.get(id)?.());
  const common = { connection: native, activities, activityTaskPollerBehavior: POLLERS };
  const workers = [
    await Worker.create({
      ...common,
      taskQueue: 'bench',
      workflowsPath: fileURLToPath(new URL('bare-flow.ts', import.meta.url)),
      workflowTaskPollerBehavior: POLLERS,
      maxCachedWorkflows: 600,
    }),
    await Worker.create({ ...common, taskQueue: 'bench-channel' }),
    await Worker.create({ ...common, taskQueue: 'bench-callbacks' }),
  ];
  const running = workers.map((worker) => worker.run());

  return {
    /** One flow, from its update-with-start to its callback. */
    async run(): Promise<void> {
      const id = `bench/${randomUUID()}`;
      const over = new Promise<void>((resolve) => waiting.set(id, resolve));
      const startWorkflowOperation = new WithStartWorkflowOperation(bareFlow, {
        workflowId: id,
        taskQueue: 'bench',
        args: [id],
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
      await client.workflow.executeUpdateWithStart(submit, { startWorkflowOperation });
      await over;
      waiting.delete(id);
    },
    async stop(): Promise<void> {
      for (const worker of workers) worker.shutdown();
      await Promise.all(running);
      await connection.close();
      await native.close();
    },
  };
}
