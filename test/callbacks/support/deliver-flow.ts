import { proxyActivities } from '@temporalio/workflow';
import type { CallbackActivities } from '../../../src/activities/index.ts';
import { taskQueues } from '../../../src/workflows/messages.ts';

const callbacks = proxyActivities<CallbackActivities>({
  taskQueue: taskQueues.callbacks,
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
});

/** The last step of a flow alone: delivers events that lie in Postgres, one after the other, as a bill's flow does. */
export async function deliverFlow(...eventIds: string[]): Promise<void> {
  for (const eventId of eventIds) await callbacks.deliverCallback(eventId);
}
