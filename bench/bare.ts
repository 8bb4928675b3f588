import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { CompleteAsyncError, Context } from '@temporalio/activity';
import { type Client, WithStartWorkflowOperation } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import {
  connectionOptions,
  createTemporalClient,
  dataConverterOf,
} from '../src/platform/temporal/connect.ts';
import { type BareActivities, bareFlow, notified, signalledFlow, submit } from './bare-flow.ts';
import { CUSTOMER_MS } from './load.ts';
import { type Stack, temporalSettingsOf } from './stack.ts';

/** As many as the worker's own (src/app/workers.ts). */
const POLLERS = { type: 'autoscaling', minimum: 2, initial: 4, maximum: 20 } as const;

const flows = { 17: bareFlow, 28: signalledFlow };

function createBareActivities(client: Client, over: (id: string) => void): BareActivities {
  /** The customer answers later, as the simulator's do. */
  const later = (answer: () => Promise<unknown>) =>
    setTimeout(() => {
      answer().catch((error: Error) => console.error(`an answer was lost: ${error.message}`));
    }, CUSTOMER_MS);
  return {
    accept: async (id: string) => `accepted ${id}`,
    end: async (_id: string) => {},
    async requestPush(id: string) {
      later(() => client.workflow.getHandle(id).signal(notified));
    },
    async pushUntilAnswered(workflowId: string) {
      const { activityId } = Context.current().info;
      later(() => client.activity.complete({ workflowId, activityId }, undefined));
      throw new CompleteAsyncError();
    },
    async deliverCallback(id: string) {
      over(id);
    },
  };
}

/**
 * Workers and a client for flows that do nothing, on the very server that the gateway uses, with its encryption.
 * `run`: one flow of so many events, from its update-with-start to its callback.
 */
export async function startBare(stack: Stack) {
  const settings = await temporalSettingsOf(stack);
  const { client, close } = createTemporalClient(settings);
  const native = await NativeConnection.connect(connectionOptions(settings));
  const waiting = new Map<string, () => void>();
  const activities = createBareActivities(client, (id) => waiting.get(id)?.());
  const common = {
    connection: native,
    activities,
    activityTaskPollerBehavior: POLLERS,
    dataConverter: dataConverterOf(settings),
  };
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
    async run(events: keyof typeof flows): Promise<void> {
      const id = `bench/${randomUUID()}`;
      const over = new Promise<void>((resolve) => waiting.set(id, resolve));
      const startWorkflowOperation = new WithStartWorkflowOperation(flows[events], {
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
      await close();
      await native.close();
    },
  };
}
