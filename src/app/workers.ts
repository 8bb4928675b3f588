import type { DataConverter } from '@temporalio/common';
import {
  type NativeConnection,
  Worker,
  type WorkerDeploymentOptions,
  type WorkerOptions,
} from '@temporalio/worker';
import type { createActivities } from '../activities/index.ts';
import { createActivityLog, type LinesLog } from '../platform/temporal/activity-log.ts';
import { DEPLOYMENT } from '../platform/temporal/deployments.ts';
import { traceActivities } from '../platform/temporal/tracing.ts';
import { workflowCode } from '../platform/temporal/workflow-code.ts';
import { taskQueues } from '../workflows/messages.ts';

export type WorkersOptions = {
  connection: NativeConnection;
  namespace: string;
  dataConverter?: DataConverter;
  activities: ReturnType<typeof createActivities>;
  channels: readonly string[];
  log: LinesLog;
  observeActivity?: Parameters<typeof createActivityLog>[1];
  /** time for activities in flight after a stop is requested */
  shutdownGraceMs?: number;
  /** requests per second to one channel by all processes: Temporal limits the channel's queue */
  channelRateOf(channelId: string): number;
  enquiryRateOf(channelId: string): number;
  /** version of the code (deployments.ts); absent: workers without versions, for tests */
  buildId?: string;
  /** enabled patches of long-lived workflows: changes that the previous version does not know */
  patches?: readonly string[];
  callbacksInFlightMax?: number;
};

/** A stop waits for sends, because a send cut off is unclear and costs an enquiry. Polls may be dropped. */
const SHUTDOWN_GRACE_MS = 6_000;
/** time for a cancelled activity to stop */
const SHUTDOWN_FORCE_MS = 2_000;

/** cached workflows per process, about 2 KiB to 20 KiB each */
const CACHED_WORKFLOWS_MAX = 600;

/**
 * This many workflow tasks run at once: the SDK's 40, plus those that wait for a callback's first attempt
 * (limit in activities/callback.ts). So receivers that hang take no place from others.
 */
const WORKFLOW_TASKS_MAX = 60;

/** After this time any worker takes the flows of a dead one (SDK default: 10 s). */
const STICKY_TIMEOUT = '5s';

/** A waiting callback takes a slot too: without spare ones, hanging receivers could hold all slots. */
const CALLBACK_SLOTS_SHARE = 1.4;

/** The money queue runs the workflows. Each channel has two queues, and callbacks have one. */
export async function createWorkers(options: WorkersOptions): Promise<Worker[]> {
  const code = await workflowCode();
  const interceptors = {
    activity: [traceActivities, createActivityLog(options.log, options.observeActivity)],
  };
  const { activities, callbacksInFlightMax = 100 } = options;
  const specifications: (Partial<WorkerOptions> & { taskQueue: string })[] = [
    {
      taskQueue: taskQueues.money,
      ...code,
      activities: {
        ...activities.money,
        ...activities.batches,
        ...activities.waits,
        ...activities.firstCallbacks,
        ...activities.sweep,
        ...activities.statements,
        ...activities.settlements,
      },
      maxCachedWorkflows: CACHED_WORKFLOWS_MAX,
      maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASKS_MAX,
      stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
      workflowTaskPollerBehavior: { type: 'autoscaling', minimum: 2, initial: 4, maximum: 20 },
      activityTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 1, maximum: 2 },
    },
    {
      taskQueue: taskQueues.callbacks,
      activities: activities.callbacks,
      maxConcurrentActivityTaskExecutions: Math.ceil(callbacksInFlightMax * CALLBACK_SLOTS_SHARE),
    },
    ...options.channels.flatMap((channel) => [
      {
        taskQueue: taskQueues.channel(channel),
        activities: activities.sends,
        maxConcurrentActivityTaskExecutions: 100,
        maxTaskQueueActivitiesPerSecond: options.channelRateOf(channel),
      },
      {
        taskQueue: taskQueues.enquiry(channel),
        activities: activities.enquiries,
        maxConcurrentActivityTaskExecutions: 100,
        maxTaskQueueActivitiesPerSecond: options.enquiryRateOf(channel),
      },
    ]),
  ];
  // Workers start one after the other, because each start calls the server.
  const workers: Worker[] = [];
  for (const specification of specifications)
    workers.push(await Worker.create({ ...common(options), interceptors, ...specification }));
  return workers;
}

function common(options: WorkersOptions): Partial<WorkerOptions> {
  const graceMs = options.shutdownGraceMs ?? SHUTDOWN_GRACE_MS;
  return {
    connection: options.connection,
    namespace: options.namespace,
    ...(options.dataConverter ? { dataConverter: options.dataConverter } : {}),
    ...(options.buildId === undefined ? {} : { workerDeploymentOptions: versionOf(options.buildId) }),
    patchActivationCallback: ({ patchId }) => options.patches?.includes(patchId) ?? false,
    shutdownGraceTime: graceMs,
    shutdownForceTime: graceMs + SHUTDOWN_FORCE_MS,
    activityTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 2, maximum: 10 },
  };
}

/**
 * Waits until all have stopped. In SDK 1.24 a worker that stopped properly sometimes fails while it closes
 * its sandboxes ("Workflow execution context should have been disposed first"); by then its tasks and
 * activities have ended.
 */
export async function runWorkers(workers: readonly Worker[]): Promise<void> {
  const run = (worker: Worker) =>
    worker.run().catch((error) => {
      if (worker.getState() !== 'STOPPED') throw error;
    });
  await Promise.all(workers.map(run));
}

/** Bills continue on the current version; pushes and payouts do not (workflows/versioning.ts). */
function versionOf(buildId: string): WorkerDeploymentOptions {
  return {
    version: { deploymentName: DEPLOYMENT, buildId },
    useWorkerVersioning: true,
    defaultVersioningBehavior: 'AUTO_UPGRADE',
  };
}
