import type { Client } from '@temporalio/client';

const WORKFLOW = 1;
const ACTIVITY = 2;

/**
 * Temporal records when a poll begins and ends. A poll without tasks lasts a minute; a task ends it at once.
 */
const IDLE_MS_MAX = { whileTaskWaits: 30_000, otherwise: 90_000 };

export type PolledQueue = { name: string; task: 'workflow' | 'activity' };

/** Throws if Temporal does not answer. */
export async function isPolled(
  client: Client,
  { name, task }: PolledQueue,
  { now = Date.now, idleMsMax = IDLE_MS_MAX } = {},
): Promise<boolean> {
  const { pollers, stats } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name },
    taskQueueType: task === 'workflow' ? WORKFLOW : ACTIVITY,
    reportStats: true,
  });
  const waits = Number(stats?.approximateBacklogCount ?? 0) > 0;
  const idleMs = waits ? idleMsMax.whileTaskWaits : idleMsMax.otherwise;
  return (pollers ?? []).some(
    ({ lastAccessTime: last }) =>
      now() - (Number(last?.seconds ?? 0) * 1_000 + (last?.nanos ?? 0) / 1e6) < idleMs,
  );
}
