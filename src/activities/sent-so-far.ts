import { canonicalJson } from '../base/canonical-json.ts';
import { UntrustedSubmission } from '../domain/errors.ts';
import type { FlowInput } from '../domain/operation.ts';
import { isBilled, type Transaction } from '../domain/transaction.ts';
import type { Database } from '../platform/db/pool.ts';
import { only } from '../platform/db/rows.ts';
import { requireOpenFence, TransactionMissing } from '../transactions/care/fence.ts';
import { type SendHistory, sendHistory } from '../transactions/channel/sends.ts';
import { getTransaction } from '../transactions/rows/store.ts';
import { requireFlowOf } from './own-workflow.ts';

export type SentSoFar = SendHistory & {
  /** age since acceptance, by Postgres's clock */
  ageMs: number;
  /** time left on the prompt; 0 for payouts and before the hand-over */
  promptLeftMs: number;
};

/**
 * Finds where a resumed flow continues: at an enquiry if anything may have arrived, never at a second send.
 * The flow's `input` is not signed, so it must equal what Postgres has: shorter times would fail a payout,
 * and release its money, too early.
 */
export async function sentSoFar(
  database: Database,
  transactionId: string,
  input?: FlowInput,
): Promise<SentSoFar> {
  const transaction = await getTransaction(database, transactionId);
  if (!transaction) throw new TransactionMissing(transactionId);
  if (input) requireSame(transaction, input);
  await requireOpenFence(database);
  const { rows } = await database.query(
    `SELECT extract(epoch FROM now() - created_at) * 1000 AS age,
       greatest(0, extract(epoch FROM prompt_expires_at - now()) * 1000) AS prompt_left
     FROM transactions WHERE id = $1`,
    [transactionId],
  );
  const { age, prompt_left: promptLeft } = only(rows);
  return {
    ...(await sendHistory(database, transactionId)),
    ageMs: Math.round(Number(age)),
    promptLeftMs: Math.round(Number(promptLeft ?? 0)),
  };
}

function requireSame(transaction: Transaction, { channel, timing, expiresAt }: FlowInput): void {
  requireFlowOf(transaction.mode);
  const expected = {
    channel: transaction.channel,
    timing: transaction.timing,
    expiresAt: isBilled(transaction) ? transaction.bill.expiresAt : null,
  };
  if (canonicalJson({ channel, timing, expiresAt }) !== canonicalJson(expected))
    throw new UntrustedSubmission('this workflow was started with other facts than its transaction has');
}
