import { UntrustedSubmission } from '../domain/errors.ts';
import { factsOfWorkflow, isUuid } from '../domain/ids.ts';
import type { Database } from '../platform/db/pool.ts';
import { raiseAttention } from '../transactions/care/attention.ts';
import { asFailure } from './failure.ts';
import { askingWorkflow } from './own-workflow.ts';

/** If no retry can fix a step's error, the error ends the workflow, and a person is notified. */
export async function toldFailure(database: Database, error: unknown): Promise<Error> {
  const failure = asFailure(error);
  // Best effort: the workflow's own failure says the same.
  if (failure !== error) await callPerson(database, error, failure.message).catch(() => {});
  return failure;
}

/** A failed submission or batch has no transaction, so the workflow's id is the subject. */
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
