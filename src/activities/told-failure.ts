import { UntrustedSubmission } from '../domain/errors.ts';
import { factsOfWorkflow, isUuid } from '../domain/ids.ts';
import type { Database } from '../platform/db/pool.ts';
import { raiseAttention } from '../transactions/care/attention.ts';
import { asFailure } from './failure.ts';
import { askingWorkflow } from './own-workflow.ts';

/** A step failed. A person is told of an error that no retry can mend: it ends the workflow. */
export async function toldFailure(database: Database, error: unknown): Promise<Error> {
  const failure = asFailure(error);
  // This is best effort: when it cannot be written, the workflow's own failure says the same.
  if (failure !== error) await callPerson(database, error, failure.message).catch(() => {});
  return failure;
}

/** The entry is about the workflow's transaction. A submission that failed, a batch or an unknown workflow has none. */
async function callPerson(database: Database, error: unknown, detail: string): Promise<void> {
  const workflowId = askingWorkflow();
  if (error instanceof UntrustedSubmission)
    return raiseAttention(database, { subject: workflowId, reason: 'untrusted_submission', detail });
  const { transaction_id: transactionId = '' } = factsOfWorkflow(workflowId);
  const known =
    isUuid(transactionId) &&
    (await database.query('SELECT FROM transactions WHERE id = $1', [transactionId]));
  const about = known && known.rowCount === 1 ? { transactionId } : { subject: workflowId };
  await raiseAttention(database, { ...about, reason: 'broken', detail });
}
