import { defaultPayloadConverter } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { workflowIdOf } from '../../src/domain/ids.ts';

/** In Temporal's own protocol: a workflow task that ends the workflow. */
const COMPLETE_WORKFLOW = 4;
const RECORD_MARKER = 9;

/**
 * What anyone who may write to Temporal can do: a run of his own under the name of a transaction, on a queue of his own,
 * ended with whatever he likes. `accepted`: what he says that its step answered.
 */
export async function endAsStranger(
  { client, connection }: TestWorkflowEnvironment,
  transactionId: string,
  result: object,
  { input, accepted }: { input?: object; accepted?: object } = {},
): Promise<void> {
  const taskQueue = 'of a stranger';
  await client.workflow.start('payout', {
    workflowId: workflowIdOf(transactionId),
    taskQueue,
    args: input ? [input] : [],
  });
  const stranger = { namespace: 'default', identity: 'a stranger' };
  const poll = () =>
    connection.workflowService.pollWorkflowTaskQueue({ ...stranger, taskQueue: { name: taskQueue } });
  const { taskToken } = await connection.withDeadline(Date.now() + 30_000, poll);
  const payloadsOf = (value: object) => ({ payloads: [defaultPayloadConverter.toPayload(value)] });
  const marker = accepted && {
    commandType: RECORD_MARKER,
    recordMarkerCommandAttributes: {
      markerName: 'core_local_activity',
      details: { data: payloadsOf({ activity_type: 'accept' }), result: payloadsOf(accepted) },
    },
  };
  await connection.workflowService.respondWorkflowTaskCompleted({
    ...stranger,
    taskToken,
    commands: [
      ...(marker ? [marker] : []),
      {
        commandType: COMPLETE_WORKFLOW,
        completeWorkflowExecutionCommandAttributes: { result: payloadsOf(result) },
      },
    ],
  });
}
