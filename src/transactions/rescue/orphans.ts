import { randomUUID } from 'node:crypto';
import type { Transaction } from '../../domain/transaction.ts';
import type { Queryable, RowOf } from '../../platform/db/pool.ts';
import { NOW, update } from '../../platform/db/write.ts';
import { refusalAnswer } from '../acceptance/answers.ts';
import { insertAnswer } from '../acceptance/idempotency.ts';
import { submissionExpired } from '../acceptance/refusals.ts';
import type { BillNotification } from '../rows/bill-receipts.ts';
import { transactionColumns } from '../rows/columns.ts';
import { toTransaction } from '../rows/read-transaction.ts';

/** rows per statement; the sweep continues while a statement was full */
export const SWEEP_BATCH = 500;

/** SQL: true if a step failed for good and a person was notified. `table`: `transactions` in the query. */
function isBroken<const T extends string>(table: T) {
  return `EXISTS (SELECT 1 FROM attention a
    WHERE a.transaction_id = ${table}.id AND a.reason = 'broken' AND a.resolved_at IS NULL)` as const;
}

/** Finds transactions whose news may lack a signal. Draws at random, so unreadable ones block no others. */
export async function unreadNews(db: Queryable, olderThanMs: number): Promise<string[]> {
  const { rows } = await db.query(
    `SELECT transaction_id FROM (
       SELECT transaction_id, received_at AS at FROM notifications
       WHERE state = 'unapplied' AND (content->>'kind' <> 'returned' OR content ? 'orFailed')
       UNION ALL
       SELECT d.transaction_id, d.decided_at FROM decisions d JOIN transactions t ON t.id = d.transaction_id
       WHERE d.answer IS NULL AND d.applied_at IS NULL AND t.status = 'pending') news
     WHERE at < now() - $1 * interval '1 millisecond' GROUP BY transaction_id
     ORDER BY random() LIMIT $2 /* never null: transaction_id */`,
    [olderThanMs, SWEEP_BATCH],
  );
  return rows.map((row) => row.transaction_id);
}

/**
 * Takes transactions whose workflow is late with its next step, or gone. Takes each again after
 * `olderThanMs`, a broken one after an hour, and a bill not before its expiry.
 */
export async function takeUnattended(db: Queryable, olderThanMs: number): Promise<Transaction[]> {
  const { rows } = await db.query(
    `WITH taken AS (
       UPDATE transactions late SET due_at = CASE WHEN ${isBroken('late')} THEN now() + interval '1 hour'
         ELSE greatest(now(), (SELECT expires_at FROM bills WHERE transaction_id = late.id)) END
       WHERE id = ANY(ARRAY(
         SELECT id FROM transactions
         WHERE status = 'pending' AND due_at < now() - $1 * interval '1 millisecond'
         ORDER BY due_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED))
       RETURNING id)
     SELECT ${transactionColumns} FROM transactions t WHERE t.id IN (SELECT id FROM taken)`,
    [olderThanMs, SWEEP_BATCH],
  );
  return rows.map(toTransaction);
}

/**
 * Takes decided transactions whose channel was not asked to confirm; each again much later, as it is rare.
 */
export async function takeUnconfirmed(db: Queryable, olderThanMs: number): Promise<Transaction[]> {
  const { rows } = await db.query(
    `WITH taken AS (
       UPDATE transactions SET due_at = now() + 60 * $1 * interval '1 millisecond' WHERE id = ANY(ARRAY(
         SELECT t.id FROM decisions d JOIN transactions t ON t.id = d.transaction_id
         WHERE d.answer IS NULL AND d.applied_at < now() - $1 * interval '1 millisecond' AND t.due_at < now()
         ORDER BY t.due_at LIMIT $2 FOR NO KEY UPDATE OF t SKIP LOCKED))
       RETURNING id)
     SELECT ${transactionColumns} FROM transactions t WHERE t.id IN (SELECT id FROM taken)`,
    [olderThanMs, SWEEP_BATCH],
  );
  return rows.map(toTransaction);
}

/** Takes a transaction that has news but no workflow; a broken one only once an hour. */
export async function takeWithNews(db: Queryable, transactionId: string): Promise<Transaction | null> {
  const { rows } = await db.query(
    `WITH taken AS (
       UPDATE transactions late
       SET due_at = CASE WHEN ${isBroken('late')} THEN now() + interval '1 hour' ELSE due_at END
       WHERE id = $1 AND NOT (due_at > now() AND ${isBroken('late')})
       RETURNING id)
     SELECT ${transactionColumns} FROM transactions t WHERE t.id IN (SELECT id FROM taken)`,
    [transactionId],
  );
  return rows[0] ? toTransaction(rows[0]) : null;
}

export async function knownOf(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query('SELECT id FROM transactions WHERE id = ANY($1::uuid[])', [ids]);
  return new Set(rows.map((row) => row.id));
}

/** Makes the next sweep begin with this transaction, whose workflow is needed but gone. */
export async function sweepSoon(db: Queryable, transactionId: string): Promise<void> {
  await update(db, 'transactions', { due_at: 'epoch' }, { id: transactionId, status: 'pending' });
}

/** A bill's payment that Postgres accepted and Temporal does not know. */
export type UnsignalledPayment = { transactionId: string; payment: BillNotification };

const UNSIGNALLED =
  `SELECT transaction_id AS "transactionId", channel, receipt, control_number AS "controlNumber",
       control_number AS "controlNumberAsSent", amount, currency, msisdn, full_name AS "fullName", connection,
       prompt_id AS prompt, false AS "refusalReturnsMoney"
     FROM bill_receipts WHERE outcome = 'accepted' AND signalled_at IS NULL
     /* never null: transactionId */` as const;

const toUnsignalled = ({
  transactionId,
  ...payment
}: RowOf<`${typeof UNSIGNALLED} AND prompt_id = $1`>): UnsignalledPayment => ({
  transactionId,
  payment: payment as BillNotification,
});

/** Draws at random, so failing signals crowd out no others. */
export async function unsignalledPayments(db: Queryable, olderThanMs: number): Promise<UnsignalledPayment[]> {
  const { rows } = await db.query(
    `${UNSIGNALLED} AND received_at < now() - $1 * interval '1 millisecond' ORDER BY random() LIMIT $2`,
    [olderThanMs, SWEEP_BATCH],
  );
  return rows.map(toUnsignalled);
}

export async function unsignalledPaymentOf(
  db: Queryable,
  promptId: string,
): Promise<UnsignalledPayment | null> {
  const { rows } = await db.query(`${UNSIGNALLED} AND prompt_id = $1`, [promptId]);
  return rows[0] ? toUnsignalled(rows[0]) : null;
}

/**
 * Flags transactions past their deadline, whatever their workflow does. One that is still pending a day later
 * is flagged again. Returns how many are new.
 */
export async function flagOverdue(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    `WITH overdue AS (
       UPDATE transactions t SET overdue_at = now() + interval '1 day' WHERE id = ANY(ARRAY(
         -- Locked, so that none of them ends, and its entries closed, before this one is opened.
         SELECT id FROM transactions WHERE status = 'pending' AND overdue_at < now()
         ORDER BY overdue_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED))
       RETURNING id, handed_over_at, created_at,
         (SELECT expires_at FROM bills b WHERE b.transaction_id = t.id) AS expired_at)
     INSERT INTO attention (transaction_id, reason, detail)
     SELECT id, CASE WHEN handed_over_at IS NULL THEN 'overdue' ELSE 'unknown_outcome' END, CASE
       WHEN handed_over_at IS NOT NULL THEN 'The channel has given no answer since ' || handed_over_at
       WHEN expired_at IS NOT NULL THEN 'Its time was over at ' || expired_at || ' and it has not ended'
       ELSE 'It was accepted at ' || created_at || ' and never handed over to its channel' END
     FROM overdue ON CONFLICT DO NOTHING`,
    [SWEEP_BATCH],
  );
  return rowCount ?? 0;
}

/** Stores the refusal for old keys whose workflow ended without an answer. Returns how many. */
export async function refuseAbandoned(db: Queryable): Promise<number> {
  const { rows } = await db.query(
    `SELECT * FROM abandoned_submissions
     WHERE resolved_at IS NULL AND noticed_at < now() - interval '15 minutes' LIMIT $1`,
    [SWEEP_BATCH],
  );
  for (const row of rows) {
    await insertAnswer(db, {
      accountId: row.account_id,
      key: row.idempotency_key,
      paymentNumber: null,
      transactionId: row.transaction_id,
      submissionId: randomUUID(),
      operation: row.operation,
      fingerprint: row.fingerprint,
      refused: submissionExpired.refused,
      body: refusalAnswer({ requestId: row.request_id }, submissionExpired),
      language: 'en',
    });
    await update(db, 'abandoned_submissions', { resolved_at: NOW }, { transaction_id: row.transaction_id });
  }
  return rows.length;
}
