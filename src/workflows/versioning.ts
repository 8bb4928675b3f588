import { workflowInfo } from '@temporalio/workflow';

/**
 * Flows that usually end within minutes stay on the worker version that began them, so a deploy or rollback
 * never changes their code. All others (bills live 90 days) move to the current version; `patched()` guards
 * changes of their code. A worker without a version, as in tests, must name no behaviour, because the server
 * would refuse it.
 */
export function pinned(): { versioningBehavior?: 'PINNED' } {
  return workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {};
}
