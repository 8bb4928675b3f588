import { proxyActivities } from '@temporalio/workflow';
import type { CallbackActivities } from '../../../src/activities/index.ts';
import { taskQueues } from '../../../src/workflows/messages.ts';

const callbacks = proxyActivities<CallbackActivities>({
  taskQueue: taskQueues.callbacks,
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
});

/** The last step of a flow alone: delivers an event that lies in Postgres. */
export async function deliverFlow(eventId: string): Promise<string> {
  return callbacks.deliverCallback(eventId);
}
