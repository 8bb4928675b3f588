import { conflict } from '../../domain/errors.ts';
import { isBilled, type Transaction } from '../../domain/transaction.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { macOfRow, proves } from '../../platform/db/proofs.ts';
import { DEFAULT, insert } from '../../platform/db/write.ts';
import { requireRecovered } from './fence.ts';

/** Two operators decided because the channel gave no answer. `answer`: the channel's later answer. */
export type Decision = {
  outcome: 'paid' | 'failed';
  note: string;
  proposalId: string;
  proposedBy: string;
  approvedBy: string;
  decidedAt: string;
  /** null if the decision did not end the transaction, or the channel was faster */
  appliedAt: string | null;
  answer: DecisionAnswer | null;
};

/** `none`: the channel did not answer in the time for enquiries. */
export type DecisionAnswer = 'confirmed' | 'contradicted' | 'none';

/** Throws `conflict` unless the transaction's outcome is unknown and undecided. */
export async function checkDecidable(db: Queryable, transaction: Transaction): Promise<void> {
  if (transaction.status !== 'pending')
    throw conflict(`It is ${transaction.status} already: a final state never changes`);
  if (isBilled(transaction))
    throw conflict('A bill ends by its payments, its cancellation or its time; close the entry instead');
  if (await isDecided(db, transaction.id)) throw conflict('It is decided already');
  await requireRecovered(db);
  const { rowCount } = await db.query(
    `SELECT 1 FROM attention
     WHERE transaction_id = $1 AND reason = 'unknown_outcome' AND resolved_at IS NULL`,
    [transaction.id],
  );
  if (rowCount === 0)
    throw conflict('Its outcome is not on the attention list as unknown: its channel is still being asked');
}

/** Throws `conflict` if it was sent after the proposal. Call it under the row lock. */
export async function refuseSentSince(
  db: Queryable,
  { transactionId, proposalId }: { transactionId: string; proposalId: string },
): Promise<void> {
  const { rowCount } = await db.query(
    `SELECT 1 FROM sends s JOIN proposals p ON p.id = $2
     WHERE s.transaction_id = $1 AND s.handed_over_at > p.proposed_at LIMIT 1`,
    [transactionId, proposalId],
  );
  if (rowCount !== 0)
    throw conflict('It was sent again after this was proposed: look at it again, and propose it again');
}

/**
 * A decision "paid" books the transaction's own amount. If the channel moved another amount, that money could
 * be booked twice. So this throws `conflict` unless every such movement went back. At execution, call it
 * under the row lock.
 */
export async function refusePaidTwice(db: Queryable, transactionId: string): Promise<void> {
  const { rows } = await db.query(
    `SELECT EXISTS (SELECT 1 FROM suspense_items WHERE transaction_id = $1 AND left_by IS NULL)
       OR EXISTS (SELECT 1 FROM attention
         WHERE transaction_id = $1 AND reason = 'wrong_amount' AND resolved_at IS NULL) AS open,
       EXISTS (SELECT 1 FROM suspense_items i JOIN transfers went ON went.id = i.left_by
         WHERE i.transaction_id = $1
           AND went.kind NOT IN ('suspense_return', 'payback', 'void')) AS released`,
    [transactionId],
  );
  const { open, released } = rows[0];
  if (open)
    throw conflict(
      'The channel moved another amount for it: let that item leave suspense first, then decide',
    );
  if (released)
    throw conflict(
      'The channel moved another amount for it, which was released from suspense: ' +
        'paid would book that money twice, so decide failed',
    );
}

/** The caller holds the row lock and has called `checkDecidable`. */
export async function writeDecision(
  db: Queryable,
  decision: { transactionId: string; proposalId: string } & Pick<Decision, 'outcome' | 'note'>,
): Promise<void> {
  const decided = {
    transaction_id: decision.transactionId,
    outcome: decision.outcome,
    note: decision.note,
    proposal_id: decision.proposalId,
  };
  await insert(db, 'decisions', {
    transaction_id: decided.transaction_id,
    outcome: decided.outcome,
    note: decided.note,
    proposal_id: decided.proposal_id,
    mac: macOfRow(db, 'decisions', decided),
    decided_at: DEFAULT,
    applied_at: null,
    answer: null,
    answered_at: null,
  });
}

export async function decisionsOf(
  db: Queryable,
  transactionIds: readonly string[],
): Promise<Map<string, Decision>> {
  const { rows } = await db.query(
    `SELECT d.transaction_id AS id, d.outcome, d.note, d.proposal_id AS "proposalId",
       p.proposed_by AS "proposedBy",
       p.decided_by AS "approvedBy", d.decided_at AS "decidedAt", d.applied_at AS "appliedAt", d.answer
     FROM decisions d JOIN proposals p ON p.id = d.proposal_id
     WHERE d.transaction_id = ANY($1::uuid[]) /* never null: approvedBy */`,
    [transactionIds],
  );
  return new Map(rows.map(({ id, ...decision }) => [id, decision]));
}

/** True if operators decided it, whether or not the decision was applied. */
export async function isDecided(db: Queryable, transactionId: string): Promise<boolean> {
  const { rowCount } = await db.query('SELECT 1 FROM decisions WHERE transaction_id = $1', [transactionId]);
  return rowCount === 1;
}

/** Marks a decision as applied, in the transaction that ends the payment. An unproven one alerts people. */
export async function takeDecision(
  db: Queryable,
  transactionId: string,
): Promise<Decision['outcome'] | null> {
  const { rows } = await db.query(
    `SELECT transaction_id, outcome, note, proposal_id, mac FROM decisions
     WHERE transaction_id = $1 AND applied_at IS NULL FOR NO KEY UPDATE`,
    [transactionId],
  );
  const [row] = rows;
  if (!row || !(await proves(db, 'decisions', row))) return null;
  await db.query('UPDATE decisions SET applied_at = clock_timestamp() WHERE transaction_id = $1', [
    transactionId,
  ]);
  return row.outcome;
}

/** True if a decision ended it, and its channel has neither confirmed nor contradicted it. */
export async function isUnconfirmed(db: Queryable, transactionId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'SELECT 1 FROM decisions WHERE transaction_id = $1 AND applied_at IS NOT NULL AND answer IS NULL',
    [transactionId],
  );
  return rowCount === 1;
}

/** The first answer stays. */
export async function noteAnswer(
  db: Queryable,
  transactionId: string,
  answer: DecisionAnswer,
): Promise<void> {
  await db.query(
    `UPDATE decisions SET answer = $2, answered_at = now()
     WHERE transaction_id = $1 AND applied_at IS NOT NULL AND answer IS NULL`,
    [transactionId, answer],
  );
}
