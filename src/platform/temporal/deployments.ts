import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';

/** Temporal's name for all worker versions. */
export const DEPLOYMENT = 'malipo';

const ASK_EVERY_MS = 250;
const NOT_FOUND = 5;
const FAILED_PRECONDITION = 9;
/** temporal.api.workflow.v1.VersioningOverride.PinnedOverrideBehavior */
const PINNED = 1;
/** Temporal's states of a version (temporal.api.enums.v1.WorkerDeploymentVersionStatus). */
const states = ['unknown', 'inactive', 'current', 'ramping', 'draining', 'drained', 'created'] as const;

export type Version = {
  buildId: string;
  state: (typeof states)[number];
  percentage: number | null;
  /** open flows that only this version's workers can continue */
  pinned: number;
};

export type Deployments = ReturnType<typeof createDeployments>;

/** Manages Temporal's worker versions as `identity`. Each call throws without Temporal. */
export function createDeployments(client: Client, identity: string) {
  const { namespace } = client.options;
  const service = client.workflowService;
  const toVersion = (buildId: string) => ({ namespace, deploymentName: DEPLOYMENT, buildId, identity });

  async function describe() {
    try {
      const { workerDeploymentInfo } = await service.describeWorkerDeployment({
        namespace,
        deploymentName: DEPLOYMENT,
      });
      return workerDeploymentInfo ?? null;
    } catch (error) {
      if (codeOf(error) === NOT_FOUND) return null;
      throw error;
    }
  }

  async function currentBuildId(): Promise<string | null> {
    return (await describe())?.routingConfig?.currentDeploymentVersion?.buildId || null;
  }

  return {
    currentBuildId,

    /**
     * Sends new flows, and every bill's next step, to this version. Waits at most `waitMs` for its workers. A
     * second call changes nothing. `lacksQueues`: a queue of the previous version may have no worker, because
     * its channel was removed.
     */
    async makeCurrent(
      buildId: string,
      { waitMs, lacksQueues = false }: { waitMs: number; lacksQueues?: boolean },
    ): Promise<void> {
      if ((await currentBuildId()) === buildId) return;
      await onceKnown(buildId, waitMs, () =>
        service.setWorkerDeploymentCurrentVersion({
          ...toVersion(buildId),
          ignoreMissingTaskQueues: lacksQueues,
        }),
      );
    },

    /** Returns the newest version first. */
    async versions(): Promise<Version[]> {
      const info = await describe();
      const percentage = info?.routingConfig?.rampingVersionPercentage ?? null;
      const summaries = info?.versionSummaries ?? [];
      const versions = summaries.map(async ({ deploymentVersion, status }): Promise<Version> => {
        const buildId = deploymentVersion?.buildId ?? '';
        const state = states[status ?? 0] ?? 'unknown';
        const { count } = await client.workflow.count(openPinnedTo(buildId));
        return { buildId, state, percentage: state === 'ramping' ? percentage : null, pinned: count };
      });
      return Promise.all(versions);
    },

    /** Moves an open flow to a version that has replayed it, and pins it there. */
    async moveTo(buildId: string, workflowId: string): Promise<void> {
      await service.updateWorkflowExecutionOptions({
        namespace,
        workflowExecution: { workflowId },
        workflowExecutionOptions: {
          versioningOverride: {
            pinned: { behavior: PINNED, version: { deploymentName: DEPLOYMENT, buildId } },
          },
        },
        updateMask: { paths: ['versioning_override'] },
      });
    },

    openPinnedTo: (buildId: string) => client.workflow.list({ query: openPinnedTo(buildId) }),

    /** Lists flows that move with the current version (bills, QR codes, resends), newest first. */
    openUpgrading: () => client.workflow.list({ query: OPEN_UPGRADING }),
  };
}

const OPEN_UPGRADING = `TemporalWorkflowVersioningBehavior = 'AutoUpgrade' AND ExecutionStatus = 'Running'`;

function openPinnedTo(buildId: string): string {
  return `TemporalWorkerDeploymentVersion = '${DEPLOYMENT}:${buildId}'
      AND TemporalWorkflowVersioningBehavior = 'Pinned' AND ExecutionStatus = 'Running'`;
}

/** Retries: Temporal knows a worker only some seconds after it began to poll. */
async function onceKnown(buildId: string, waitMs: number, change: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      await change();
      return;
    } catch (error) {
      const isUnknown = codeOf(error) === NOT_FOUND || codeOf(error) === FAILED_PRECONDITION;
      if (!isUnknown) throw error;
      if (performance.now() > deadline)
        throw new Error(
          `Temporal does not switch to ${buildId}: are all of its workers running? ` +
            `${(error as Error).message}`,
          {
            cause: error,
          },
        );
    }
    await pause(ASK_EVERY_MS);
  }
}

function codeOf(error: unknown): number | undefined {
  return (error as { code?: number }).code;
}
