import { activityInfo } from '@temporalio/activity';
import type { KeyRing } from '../base/key-ring.ts';
import type { BatchRun } from '../domain/batch.ts';
import { BrokenInvariant, UntrustedSubmission } from '../domain/errors.ts';
import { batchWorkflowIdOf, workflowIdOf } from '../domain/ids.ts';
import { kinds, type Mode } from '../domain/kinds.ts';
import type { Signed, SignedSubmission } from '../domain/operation.ts';
import { isSigned, isSignedBatch } from '../transactions/rows/submission-mac.ts';

export function askingWorkflow(): string {
  return activityInfo().workflowExecution?.workflowId ?? 'an activity of no workflow';
}

/** Throws BrokenInvariant if another workflow than the transaction's own asks for its step. */
export function requireOwnWorkflow(transactionId: string): void {
  const workflowId = askingWorkflow();
  if (workflowId !== workflowIdOf(transactionId))
    throw new BrokenInvariant(`${workflowId} asked for a step of the transaction ${transactionId}`);
}

/** Throws UntrustedSubmission unless the API signed it for this workflow and its type. */
export function requireTrusted(keys: KeyRing, submission: SignedSubmission): void {
  if (!isSigned(keys, submission))
    throw new UntrustedSubmission('this submission does not carry the proof that the API made it');
  if (askingWorkflow() !== workflowIdOf(submission.transactionId))
    throw new UntrustedSubmission('this submission was made for another workflow');
  requireFlowOf(submission.request.mode);
}

export function requireTrustedBatch(keys: KeyRing, run: Signed<BatchRun>): void {
  if (!isSignedBatch(keys, run) || askingWorkflow() !== batchWorkflowIdOf(run.batchId))
    throw new UntrustedSubmission('this batch does not carry the proof that the API started it');
}

/** Throws UntrustedSubmission unless workflows of this type handle this mode. */
export function requireFlowOf(mode: Mode): void {
  const { workflowType } = activityInfo();
  if (workflowType !== kinds[mode].flow)
    throw new UntrustedSubmission(`a ${mode} is no business of the workflow type ${workflowType}`);
}
