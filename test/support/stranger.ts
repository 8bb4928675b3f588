import { defaultPayloadConverter } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { workflowIdOf } from '../../src/domain/ids.ts';

/** In Temporal's own protocol: a workflow task that ends the workflow. */
const COMPLETE_WORKFLOW = 4;

/**
 * What anyone who may write to Temporal can do: a run of his own under the name of a transaction, on a queue of his own,
 * ended with whatever he likes.
 */
export async function endAsStranger(
  { client, connection }: TestWorkflowEnvironment,
  transactionId: string,
  result: object,
): Promise<void> {
  const taskQueue = 'of a stranger';
  await client.workflow.start('payout', { workflowId: workflowIdOf(transactionId), taskQueue, args: [] });
  const stranger = { namespace: 'default', identity: 'a stranger' };
  const poll = () =>
    connection.workflowService.pollWorkflowTaskQueue({ ...stranger, taskQueue: { name: taskQueue } });
  const { taskToken } = await connection.withDeadline(Date.now() + 30_000, poll);
  const payloads = [defaultPayloadConverter.toPayload(result)];
  await connection.workflowService.respondWorkflowTaskCompleted({
    ...stranger,
    taskToken,
    commands: [
      {
        commandType: COMPLETE_WORKFLOW,
        completeWorkflowExecutionCommandAttributes: { result: { payloads } },
      },
    ],
  });
}
