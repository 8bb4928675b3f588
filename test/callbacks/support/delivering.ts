import { fileURLToPath } from 'node:url';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import '../../support/quiet-runtime.ts';
import { deliverFlow } from './deliver-flow.ts';

export type Delivering = {
  /** Hands planted events to whichever worker serves the queue of callbacks, one after the other. */
  deliver(eventId: string, ...later: string[]): Promise<void>;
  /** Nobody tries to deliver it any more. */
  stopDelivering(eventId: string): Promise<void>;
  stop(): Promise<void>;
};

const QUEUE = 'deliver-flow';

/** Flows of a single step, on the Temporal server at `address`. The queue of callbacks is served by others. */
export async function startDelivering(address: string): Promise<Delivering> {
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  const client = new Client({ connection });
  const worker = await Worker.create({
    connection: native,
    taskQueue: QUEUE,
    workflowsPath: fileURLToPath(new URL('deliver-flow.ts', import.meta.url)),
    workflowTaskPollerBehavior: { type: 'autoscaling', minimum: 2, initial: 4, maximum: 20 },
    maxCachedWorkflows: 1_000,
  });
  const running = worker.run();
  return {
    async deliver(eventId, ...later) {
      await client.workflow.start(deliverFlow, {
        workflowId: `deliver/${eventId}`,
        taskQueue: QUEUE,
        args: [eventId, ...later],
      });
    },
    async stopDelivering(eventId) {
      const flow = client.workflow.getHandle(`deliver/${eventId}`);
      await flow.terminate().catch((error) => {
        // It has ended by itself.
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      });
    },
    async stop() {
      worker.shutdown();
      await running;
      await connection.close();
      await native.close();
    },
  };
}
