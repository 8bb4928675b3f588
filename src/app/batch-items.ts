import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { BegunItem } from '../activities/batches.ts';
import type { FlowResult } from '../domain/ending.ts';
import { workflowIdOf } from '../domain/ids.ts';
import type { SignedSubmission } from '../domain/operation.ts';
import { urgencies } from '../workflows/messages.ts';
import { startOfSubmission } from '../workflows/start-flow.ts';
import { answerOf, inputOf } from './flow-history.ts';
import { startRound } from './waking.ts';

const START_MS = 10_000;

/** The items of a batch wait behind all urgent work. */
export function itemsOfBatches(client: Client) {
  function start(submission: SignedSubmission, reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE') {
    const { workflowType, priority, ...rest } = startOfSubmission(submission);
    const options = {
      ...rest,
      priority: { ...priority, priorityKey: urgencies.batch },
      workflowIdReusePolicy: reuse,
      workflowIdConflictPolicy: 'FAIL' as const,
    };
    // A start without a deadline could hang and delay the items of all batches.
    return client.withDeadline(Date.now() + START_MS, () => client.workflow.start(workflowType, options));
  }

  /** Acceptance is in the history before anything is sent. A run that continues another has no submission. */
  async function neverAccepted(id: string, runId: string): Promise<boolean> {
    const workflowId = workflowIdOf(id);
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const history = { workflowId, events: events ?? [] };
    const says = async () =>
      Boolean((await inputOf(client, history))?.submission) &&
      (await answerOf(client, history)) === undefined;
    // An unreadable history proves nothing.
    return says().catch(() => false);
  }

  return {
    /**
     * Starts an item that Postgres does not know. A running flow goes on. A flow that was refused (its
     * account was frozen), or ended before acceptance, is started again. Any other ended flow means that
     * Postgres lost the item, which may be paid.
     */
    async begin(submission: SignedSubmission): Promise<BegunItem> {
      try {
        await start(submission, 'REJECT_DUPLICATE');
        return 'begun';
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
      const handle = client.workflow.getHandle<() => Promise<FlowResult>>(
        workflowIdOf(submission.transactionId),
      );
      const { status, runId } = await handle.describe();
      if (status.name === 'RUNNING') return 'begun';
      const isAgain =
        status.name === 'COMPLETED'
          ? (await handle.result()).status === 'refused'
          : await neverAccepted(submission.transactionId, runId);
      if (!isAgain) return 'lost';
      await start(submission, 'ALLOW_DUPLICATE').catch((error) => {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      });
      return 'begun';
    },
    tell: (round: Parameters<typeof startRound>[1]) => startRound(client, round),
  };
}
