import { workflowInfo } from '@temporalio/workflow';

/**
 * Flows that end within minutes, as a rule, stay with the version of the worker that began them, so a deploy, or its
 * way back, never changes the code under one. All others (bills live for 90 days) go on with the current version, so a
 * change of their code is behind `patched()`. A worker without a version, as in tests, must name no behaviour: the
 * server refuses an answer that does.
 */
export function pinned(): { versioningBehavior?: 'PINNED' } {
  return workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {};
}
