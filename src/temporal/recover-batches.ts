import type { Client } from '@temporalio/client';
import type { KeyRing } from '../base/key-ring.ts';
import type { Database } from '../db/pool.ts';
import { batchWorkflowIdOf } from '../domain/ids.ts';
import { restoreBatch } from '../transactions/rescue/restore-batch.ts';
import { isSignedBatch } from '../transactions/rows/submission-mac.ts';
import { type BatchInput, workflowTypes } from '../workflows/messages.ts';
import { argumentOf } from './flow-history.ts';

type Deps = { database: Database; client: Client; submissionKeys: KeyRing; isDry: boolean };
type Report = { batches: number; uncovered: number; account_unknown: number; problems: string[] };

/**
 * Brings batches back that were started and that a restored Postgres does not know as started, with their holds, from the
 * signed inputs of their flows. Returns the ids of those that came back.
 */
export async function bringBatchesBack(deps: Deps, report: Report): Promise<string[]> {
  const { database, client, submissionKeys, isDry } = deps;
  const brought = new Set<string>();
  for await (const { workflowId, runId } of client.workflow.list({
    query: `WorkflowType = '${workflowTypes.batch}'`,
  })) {
    try {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      const input = (await argumentOf(client, { workflowId, events: history.events ?? [] })) as BatchInput;
      // Its first run holds the money and hands on: without another one nothing was held, or that run does it yet.
      if (!input.isHeld || brought.has(input.run.batchId)) continue;
      if (!isSignedBatch(submissionKeys, input.run) || workflowId !== batchWorkflowIdOf(input.run.batchId))
        throw new Error('its batch does not carry the proof that the API started it');
      const { mac: _, ...run } = input.run;
      const restored = await restoreBatch(database, run, isDry);
      if (restored === 'there') continue;
      report[restored === 'restored' ? 'batches' : restored] += 1;
      if (restored === 'restored') brought.add(run.batchId);
    } catch (error) {
      report.problems.push(`${workflowId}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return [...brought];
}
