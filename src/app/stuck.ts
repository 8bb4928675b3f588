import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { factsOfWorkflow, isUuid, workflowIdOf } from '../domain/ids.ts';
import type { Database } from '../platform/db/pool.ts';
import { raiseAttention, resolveStuck, someStuck } from '../transactions/care/attention.ts';
import { knownOf } from '../transactions/rescue/orphans.ts';

/** attempts of one workflow task: a killed worker uses up one, failing code all of them */
const ATTEMPTS_MAX = 4;
/** a workflow task that waits this long has no worker of the version to which its workflow is pinned */
const UNTAKEN_MS = 2 * 60_000;
/** most workflows without a row that one sweep handles */
const STRANGERS_MAX = 200;
/** only workflows younger than this are compared with Postgres, by several sweeps each */
const COMPARED_MS = 10 * 60_000;
const STARTED_MAX = 2_000;

const ASKED_AGAIN_MAX = 50;

const SCHEDULED = 1;

/** Asks Temporal, because Postgres cannot know it. Returns null for a workflow that makes progress. */
async function whyStuck(
  client: Client,
  workflowId: string,
): Promise<{ why: 'fails' | 'untaken'; detail: string } | null> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  const task = raw.pendingWorkflowTask;
  const attempt = task?.attempt ?? 0;
  if (attempt > ATTEMPTS_MAX) {
    const detail =
      `Its workflow has failed ${attempt - 1} times at the same place: ` +
      `see ${workflowId} in the Temporal UI`;
    return { why: 'fails', detail };
  }
  const since = Number(task?.originalScheduledTime?.seconds ?? 0) * 1_000;
  if (task?.state !== SCHEDULED || since === 0 || Date.now() - since < UNTAKEN_MS) return null;
  const detail = `No worker has taken its workflow since ${new Date(since).toISOString()}: ${workflowId}`;
  return { why: 'untaken', detail };
}

/** Flags a transaction whose workflow runs without progress. True if an entry is open. */
export async function flagIfStuck(
  deps: { database: Database; client: Client },
  transactionId: string,
): Promise<boolean> {
  const stuck = await whyStuck(deps.client, workflowIdOf(transactionId)).catch(nullWhenGone);
  if (stuck === null) return false;
  await raiseAttention(deps.database, { transactionId, reason: 'stuck', detail: stuck.detail });
  return true;
}

export async function flagStuckSubmissions(
  deps: { database: Database; client: Client },
  unattendedAfterMs: number,
): Promise<number> {
  const ago = (ms: number) => `'${new Date(Date.now() - ms).toISOString()}'`;
  const query = `ExecutionStatus = 'Running' AND TransactionStatus = 'pending'
      AND StartTime < ${ago(unattendedAfterMs)} AND StartTime > ${ago(COMPARED_MS)}`;
  const started: string[] = [];
  for await (const { workflowId } of deps.client.workflow.list({ query })) {
    const id = factsOfWorkflow(workflowId).transaction_id;
    if (id !== undefined && isUuid(id)) started.push(id);
    if (started.length >= STARTED_MAX) break;
  }
  const known = await knownOf(deps.database, started);
  let flagged = 0;
  for (const id of started.filter((one) => !known.has(one)).slice(0, STRANGERS_MAX)) {
    const stuck = await whyStuck(deps.client, workflowIdOf(id)).catch(nullWhenGone);
    // A workflow that no worker has taken did nothing, and its merchant was told: outcome unknown.
    if (stuck?.why !== 'fails') continue;
    await raiseAttention(deps.database, { subject: workflowIdOf(id), reason: 'stuck', detail: stuck.detail });
    flagged += 1;
  }
  return flagged;
}

export async function closeUnstuck(deps: { database: Database; client: Client }): Promise<void> {
  for (const subject of await someStuck(deps.database, ASKED_AGAIN_MAX)) {
    const workflowId = isUuid(subject) ? workflowIdOf(subject) : subject;
    if ((await whyStuck(deps.client, workflowId).catch(nullWhenGone)) === null)
      await resolveStuck(deps.database, subject);
  }
}

function nullWhenGone(error: unknown): null {
  if (error instanceof WorkflowNotFoundError) return null;
  throw error;
}
