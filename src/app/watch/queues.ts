import type { Client } from '@temporalio/client';
import { readOnce } from '../../base/read-once.ts';
import type { Metrics } from '../../platform/process/metrics.ts';
import { taskQueues } from '../../workflows/messages.ts';

const FRESH_MS = 10_000;
const ASK_TIMEOUT_MS = 2_000;

const WORKFLOW = 1;
const ACTIVITY = 2;
type TaskType = typeof WORKFLOW | typeof ACTIVITY;
type QueueReading = { queue: string; task: 'workflow' | 'activity'; backlog: number; ageSeconds: number };

/** Measures per queue how long tasks wait in Temporal. Deployments scale their workers by this. */
export function watchQueues(
  metrics: Pick<Metrics, 'watchAll'>,
  { client, channels }: { client: Client; channels: readonly string[] },
): void {
  const queues: [string, TaskType][] = [
    [taskQueues.money, WORKFLOW],
    [taskQueues.money, ACTIVITY],
    [taskQueues.callbacks, ACTIVITY],
    ...channels.flatMap((channel): [string, TaskType][] => [
      [taskQueues.channel(channel), ACTIVITY],
      [taskQueues.enquiry(channel), ACTIVITY],
    ]),
  ];
  const readAll = () =>
    client.withDeadline(Date.now() + ASK_TIMEOUT_MS, () =>
      Promise.all(queues.map(([queue, type]) => readQueue(client, queue, type))),
    );
  const labelNames = ['queue', 'task'] as const;
  metrics.watchAll(readOnce(readAll, { freshMs: FRESH_MS }), [
    {
      name: 'queue_age_seconds',
      help: 'Seconds that the oldest task of a Temporal queue has waited for a worker; 0 if none waits',
      labelNames,
      samples: (all) => all.map(({ queue, task, ageSeconds: value }) => ({ labels: { queue, task }, value })),
    },
    {
      name: 'queue_backlog',
      help: 'Approximate number of tasks of a Temporal queue that wait for a worker',
      labelNames,
      samples: (all) => all.map(({ queue, task, backlog: value }) => ({ labels: { queue, task }, value })),
    },
  ]);
}

async function readQueue(client: Client, queue: string, type: TaskType): Promise<QueueReading> {
  const { stats } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: queue },
    taskQueueType: type,
    reportStats: true,
  });
  const age = stats?.approximateBacklogAge;
  return {
    queue,
    task: type === WORKFLOW ? 'workflow' : 'activity',
    backlog: Number(stats?.approximateBacklogCount ?? 0),
    ageSeconds: Number(age?.seconds ?? 0) + (age?.nanos ?? 0) / 1e9,
  };
}
