import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { KeyRing } from '../base/key-ring.ts';
import { heldRunOf, lockBatch } from '../batches/batch-store.ts';
import type { Round } from '../domain/event.ts';
import { workflowIdOf } from '../domain/ids.ts';
import type { Transaction } from '../domain/transaction.ts';
import type { Database } from '../platform/db/pool.ts';
import { inTransaction } from '../platform/db/transaction.ts';
import { takeWithNews } from '../transactions/rescue/orphans.ts';
import { signBatch } from '../transactions/rows/submission-mac.ts';
import {
  channelResult,
  startOfBatch,
  startOfReport,
  startOfRound,
  workflowTypes,
} from '../workflows/messages.ts';
import { startOfResumed } from '../workflows/start-flow.ts';
import { flagIfStuck } from './stuck.ts';

type Deps = { database: Database; client: Client };

/** Repeats the signal for a transaction with news, or resumes it at once if its workflow is gone. */
export async function signalOrResume(
  { database, client }: Deps,
  id: string,
): Promise<'signalled' | 'resumed' | null> {
  if (await signal(client, id)) {
    await flagIfStuck({ database, client }, id);
    return 'signalled';
  }
  const transaction = await takeWithNews(database, id);
  return transaction && (await resumeTransaction(client, transaction)) ? 'resumed' : null;
}

/** A running workflow whose next step is late may be stuck. */
export async function resumeOrFlag(
  { database, client }: Deps,
  transaction: Transaction,
): Promise<'resumed' | null> {
  if (await resumeTransaction(client, transaction)) return 'resumed';
  await flagIfStuck({ database, client }, transaction.id);
  return null;
}

/** A restore may have repeated an event, and the running flow does not know: a signal makes it look. */
export async function resumeById(deps: Deps, id: string): Promise<'resumed' | null> {
  const transaction = await takeWithNews(deps.database, id);
  const resumed = transaction && (await resumeOrFlag(deps, transaction));
  if (transaction && resumed === null) await signal(deps.client, id);
  return resumed;
}

/** Returns false if the workflow is closed or lost. */
export async function signal(
  client: Client,
  transactionId: string,
  news: 'stored' | 'hint' = 'stored',
): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowIdOf(transactionId)).signal(channelResult, news);
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** Starts a transaction's workflow again. False while one runs: its id allows one open run. */
function resumeTransaction(client: Client, transaction: Transaction): Promise<boolean> {
  const { workflowType, ...start } = startOfResumed(transaction);
  const policies = { workflowIdReusePolicy: 'ALLOW_DUPLICATE', workflowIdConflictPolicy: 'FAIL' } as const;
  return startsNew(client.workflow.start(workflowType, { ...start, ...policies }));
}

export async function resumeBatch(
  { database, client, submissionKeys }: Deps & { submissionKeys: KeyRing },
  id: string,
): Promise<'resumed' | null> {
  const batch = await inTransaction(database, (db) => lockBatch(db, id));
  if (!batch || batch.finishedAt !== null) return null;
  const run = await heldRunOf(database, batch);
  if (!run) return null;
  const start = {
    ...startOfBatch(signBatch(submissionKeys, run)),
    workflowIdConflictPolicy: 'FAIL' as const,
  };
  return (await startsNew(client.workflow.start(workflowTypes.batch, start))) ? 'resumed' : null;
}

/** Starts a missing resend. Returns false if it exists, because two must never work on one round. */
export function startRound(client: Client, round: Round): Promise<boolean> {
  const start = { ...startOfRound(round), workflowIdConflictPolicy: 'FAIL' as const };
  return startsNew(client.workflow.start(workflowTypes.resendCallback, start));
}

export async function startReport({ client }: Deps, id: string): Promise<'resent' | null> {
  const start = { ...startOfReport(id), workflowIdConflictPolicy: 'FAIL' as const };
  return (await startsNew(client.workflow.start(workflowTypes.reportResult, start))) ? 'resent' : null;
}

async function startsNew(starting: Promise<unknown>): Promise<boolean> {
  try {
    await starting;
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
