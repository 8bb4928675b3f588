import type { Client } from '@temporalio/client';
import type { KeyRing } from '../../base/key-ring.ts';
import { restoreBatch } from '../../batches/restore-batch.ts';
import { batchWorkflowIdOf } from '../../domain/ids.ts';
import type { Database } from '../../platform/db/pool.ts';
import type { Restored } from '../../transactions/rescue/restoring.ts';
import { isSignedBatch } from '../../transactions/rows/submission-mac.ts';
import { type BatchInput, batchNews, workflowTypes } from '../../workflows/messages.ts';
import { argumentOf, resultOf } from '../flow-history.ts';

type Deps = { database: Database; client: Client; submissionKeys: KeyRing; isDry: boolean };
type Report = { batches: number; uncovered: number; account_unknown: number; problems: string[] };

/**
 * Restores started batches from their workflows' signed inputs, with their holds. A scheduled batch whose
 * rows are lost is restored as cancelled. Returns the ids of the batches restored with a hold.
 */
export async function bringBatchesBack(deps: Deps, report: Report): Promise<string[]> {
  const { client } = deps;
  const brought: string[] = [];
  // A batch may have several runs: count it once, and let no later run restore it as cancelled.
  const met = new Set<string>();
  async function named(workflowId: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      report.problems.push(`${workflowId}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  async function bringBack(workflowId: string, input: BatchInput): Promise<void> {
    if (met.has(input.run.batchId)) return;
    const restored = await restoreSigned(deps, workflowId, input);
    if (restored === 'there') return;
    met.add(input.run.batchId);
    report[restored === 'restored' ? 'batches' : restored] += 1;
    if (restored === 'restored') brought.push(input.run.batchId);
  }
  const unheld: { workflowId: string; input: BatchInput }[] = [];
  for await (const { workflowId, runId, status } of client.workflow.list({
    query: `WorkflowType = '${workflowTypes.batch}'`,
  }))
    await named(workflowId, async () => {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      const run = { workflowId, events: history.events ?? [] };
      const input = (await argumentOf(client, run)) as BatchInput;
      if (input.run.start) return bringBack(workflowId, input);
      // A first run without a hold changed nothing: it was continued as a new run, or refused.
      if (status.name === 'CONTINUED_AS_NEW') return;
      const ended = (await resultOf(client, run)) as { status?: string } | undefined;
      if (ended?.status !== 'refused') unheld.push({ workflowId, input });
    });
  // These come last: if a later run of the same batch held its money, that run is restored.
  for (const { workflowId, input } of unheld) await named(workflowId, () => bringBack(workflowId, input));
  return brought;
}

async function restoreSigned(
  { database, client, submissionKeys, isDry }: Deps,
  workflowId: string,
  { run: signed }: BatchInput,
): Promise<Restored> {
  if (!isSignedBatch(submissionKeys, signed) || workflowId !== batchWorkflowIdOf(signed.batchId))
    throw new Error('its batch does not carry the proof that the API started it');
  const { mac: _, ...run } = signed;
  const restored = await restoreBatch(database, run, { isDry });
  // Its workflow retries its start until the fence is lifted, then ends. If none runs, the sweep starts one.
  if (restored === 'restored' && !run.start && !isDry)
    await client.workflow
      .getHandle(workflowId)
      .signal(batchNews)
      .catch(() => {});
  return restored;
}
