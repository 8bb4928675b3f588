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

/** One statement takes at most so many rows. The sweep goes on while a statement was full. */
export const SWEEP_BATCH = 500;

/** True if a person was called because a step failed for good. `table` is the name of `transactions` in the query. */
function isBroken<const T extends string>(table: T) {
  return `EXISTS (SELECT 1 FROM attention a
    WHERE a.transaction_id = ${table}.id AND a.reason = 'broken' AND a.resolved_at IS NULL)` as const;
}

/** Their stored news may lack a signal. They are drawn at random: unreadable ones keep out no others. */
export async function unreadNews(db: Queryable, olderThanMs: number): Promise<string[]> {
  const { rows } = await db.query(
    `SELECT transaction_id FROM (
       SELECT transaction_id, received_at AS at FROM notifications WHERE state = 'unapplied' AND (content->>'kind' <> 'returned' OR content ? 'orFailed')
       UNION ALL
       SELECT d.transaction_id, d.decided_at FROM decisions d JOIN transactions t ON t.id = d.transaction_id
       WHERE d.answer IS NULL AND d.applied_at IS NULL AND t.status = 'pending') news
     WHERE at < now() - $1 * interval '1 millisecond' GROUP BY transaction_id ORDER BY random() LIMIT $2 /* never null: transaction_id */`,
    [olderThanMs, SWEEP_BATCH],
  );
  return rows.map((row) => row.transaction_id);
}

/**
 * The workflow ought to have made its next step by now: it is late, or gone. Each is looked at again `olderThanMs`
 * later; a broken one an hour later; a bill that is resumed early, when its time is over.
 */
export async function takeUnattended(db: Queryable, olderThanMs: number): Promise<Transaction[]> {
  const { rows } = await db.query(
    `WITH taken AS (
       UPDATE transactions late SET due_at = CASE WHEN ${isBroken('late')} THEN now() + interval '1 hour'
         ELSE greatest(now(), (SELECT expires_at FROM bills WHERE transaction_id = late.id)) END
       WHERE id = ANY(ARRAY(
         SELECT id FROM transactions WHERE status = 'pending' AND due_at < now() - $1 * interval '1 millisecond'
         ORDER BY due_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED))
       RETURNING id)
     SELECT ${transactionColumns} FROM transactions t WHERE t.id IN (SELECT id FROM taken)`,
    [olderThanMs, SWEEP_BATCH],
  );
  return rows.map(toTransaction);
}

/** People decided these, and the channel was not yet asked whether they were right. Such news is seldom lost. */
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

/** The transaction has news and no workflow. Null: a step failed for good, and is tried once an hour. */
export async function takeWithNews(db: Queryable, transactionId: string): Promise<Transaction | null> {
  const { rows } = await db.query(
    `WITH taken AS (
       UPDATE transactions late SET due_at = CASE WHEN ${isBroken('late')} THEN now() + interval '1 hour' ELSE due_at END
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

/** Puts a transaction first in line for the next sweep: its workflow is needed, and it is gone. */
export async function sweepSoon(db: Queryable, transactionId: string): Promise<void> {
  await update(db, 'transactions', { due_at: 'epoch' }, { id: transactionId, status: 'pending' });
}

/** Postgres accepted this payment of a bill, as its network notified it, and Temporal does not know it. */
export type UnsignalledPayment = { transactionId: string; payment: BillNotification };

const UNSIGNALLED =
  `SELECT transaction_id AS "transactionId", channel, receipt, control_number AS "controlNumber",
       control_number AS "controlNumberAsSent", amount, currency, msisdn, full_name AS "fullName", connection,
       prompt_id AS prompt, false AS "refusalReturnsMoney"
     FROM bill_receipts WHERE outcome = 'accepted' AND signalled_at IS NULL /* never null: transactionId */` as const;

const toUnsignalled = ({
  transactionId,
  ...payment
}: RowOf<`${typeof UNSIGNALLED} AND prompt_id = $1`>): UnsignalledPayment => ({
  transactionId,
  payment: payment as BillNotification,
});

/** They are drawn at random, so that those whose signal fails again and again do not keep out the others. */
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
 * Flags what is past its own deadline, whatever its workflow does: the flow may be what is broken. One that is still
 * pending a day later is flagged again, if a person closed its entry. Returns how many are new.
 */
export async function flagOverdue(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    `WITH overdue AS (
       UPDATE transactions t SET overdue_at = now() + interval '1 day' WHERE id = ANY(ARRAY(
         -- Locked, so that none of them ends, and its entries closed, before this one is opened.
         SELECT id FROM transactions WHERE status = 'pending' AND overdue_at < now()
         ORDER BY overdue_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED))
       RETURNING id, handed_over_at, created_at, (SELECT expires_at FROM bills b WHERE b.transaction_id = t.id) AS expired_at)
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

/** Stores the refusal for old keys whose workflow ended before it answered. Returns how many. */
export async function refuseAbandoned(db: Queryable): Promise<number> {
  const { rows } = await db.query(
    `SELECT * FROM abandoned_submissions WHERE resolved_at IS NULL AND noticed_at < now() - interval '15 minutes' LIMIT $1`,
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
