import type { Queryable } from '../db/pool.ts';
import type { Transaction } from '../domain/transaction.ts';
import { toTransaction } from './read-transaction.ts';
import { transactionColumns } from './store.ts';

/** How much one sweep takes on; the rest waits for the next one. */
const SWEEP_MAX = 500;

/** Bills are open for months and seldom need anything: so many of them are looked at in turn, beside the overdue ones. */
const BILLS_MAX = 100;

/** What a person was called for is tried again once an hour. `table`: the name of `transactions` in the query. */
function brokenLately(table: string): string {
  return `(${table}.swept_at > now() - interval '1 hour' AND EXISTS (
    SELECT 1 FROM attention a WHERE a.transaction_id = ${table}.id AND a.reason = 'broken' AND a.resolved_at IS NULL))`;
}

/** Transactions for which a notification or a decision is stored, but the signal to the workflow may have been lost. */
export async function unreadNews(db: Queryable, olderThanMs: number): Promise<string[]> {
  const { rows } = await db.query(
    `SELECT transaction_id FROM (
       SELECT transaction_id, received_at AS at FROM notifications WHERE state = 'unapplied' AND content->>'kind' <> 'returned'
       UNION ALL
       SELECT d.transaction_id, d.decided_at FROM decisions d JOIN transactions t ON t.id = d.transaction_id
       WHERE d.answer IS NULL AND d.applied_at IS NULL AND t.status = 'pending') news
     WHERE at < now() - $1 * interval '1 millisecond' GROUP BY transaction_id ORDER BY min(at) LIMIT $2`,
    [olderThanMs, SWEEP_MAX],
  );
  return rows.map((row) => row.transaction_id);
}

/**
 * Transactions that ought to have a running workflow: not final, with an event that is due and undelivered, or decided
 * by people and not confirmed yet.
 * Taken in turn (`swept_at`), so that many of them are all looked at; `broken` ones once an hour.
 */
export async function takeUnattended(db: Queryable, olderThanMs: number): Promise<Transaction[]> {
  const { rows } = await db.query(
    `WITH due AS (
       SELECT id FROM transactions
       WHERE status = 'pending' AND mode <> 'billpay' AND created_at < now() - $1 * interval '1 millisecond'
         AND (swept_at IS NULL OR swept_at < now() - $1 * interval '1 millisecond')
         AND NOT ${brokenLately('transactions')}
       ORDER BY coalesce(swept_at, created_at) LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
     ), bills_in_turn AS (
       SELECT id FROM transactions
       WHERE status = 'pending' AND mode = 'billpay' AND coalesce(swept_at, created_at) < now() - $1 * interval '1 millisecond'
         AND NOT ${brokenLately('transactions')}
       ORDER BY coalesce(swept_at, created_at) LIMIT ${BILLS_MAX} FOR NO KEY UPDATE SKIP LOCKED
     ), bills_overdue AS (
       SELECT t.id FROM bills b JOIN transactions t ON t.id = b.transaction_id
       WHERE b.open AND b.expires_at < now() - $1 * interval '1 millisecond' AND t.status = 'pending' AND NOT ${brokenLately('t')}
       ORDER BY b.expires_at LIMIT $2 FOR NO KEY UPDATE OF t SKIP LOCKED
     ), undelivered AS (
       -- The first one of each transaction: the later ones wait for it, and are not due before it.
       SELECT t.id FROM (
         SELECT DISTINCT ON (transaction_id) transaction_id, coalesce(next_attempt_at, created_at) AS due
         FROM callback_events WHERE state = 'pending' AND round = 0 ORDER BY transaction_id, sequence) e
       JOIN transactions t ON t.id = e.transaction_id
       WHERE e.due < now() - 2 * $1 * interval '1 millisecond' AND NOT ${brokenLately('t')}
       ORDER BY coalesce(t.swept_at, t.created_at) LIMIT $2 FOR NO KEY UPDATE OF t SKIP LOCKED
     ), unconfirmed AS (
       -- Decided by people: the channel is still asked whether they were right. Seldom lost, so looked at seldom.
       SELECT t.id FROM decisions d JOIN transactions t ON t.id = d.transaction_id
       WHERE d.answer IS NULL AND d.applied_at < now() - $1 * interval '1 millisecond'
         AND (t.swept_at IS NULL OR t.swept_at < now() - 60 * $1 * interval '1 millisecond')
       ORDER BY coalesce(t.swept_at, t.created_at) LIMIT $2 FOR NO KEY UPDATE OF t SKIP LOCKED
     ), marked AS (
       UPDATE transactions SET swept_at = now() WHERE id IN (SELECT id FROM due UNION SELECT id FROM undelivered
         UNION SELECT id FROM bills_in_turn UNION SELECT id FROM bills_overdue UNION SELECT id FROM unconfirmed)
       RETURNING id
     )
     SELECT ${transactionColumns} FROM transactions t WHERE t.id IN (SELECT id FROM marked)`,
    [olderThanMs, SWEEP_MAX],
  );
  return rows.map(toTransaction);
}

/** Puts a transaction first in line for the next sweep: somebody wants something of its workflow, which is gone. */
export async function sweepSoon(db: Queryable, transactionId: string): Promise<void> {
  await db.query("UPDATE transactions SET swept_at = 'epoch' WHERE id = $1 AND status = 'pending'", [
    transactionId,
  ]);
}

/**
 * Bills and QR codes with a payment that their workflow does not know: the signal was lost, or the workflow was. Drawn
 * at random, so that many that cannot be told hide nobody.
 */
export async function unsignalledBills(db: Queryable, olderThanMs: number): Promise<Transaction[]> {
  const { rows } = await db.query(
    `SELECT ${transactionColumns} FROM transactions t WHERE t.updated_at < now() - $1 * interval '1 millisecond'
       AND t.id IN (SELECT transaction_id FROM bills WHERE payments_signalled < payments ORDER BY random() LIMIT $2)`,
    [olderThanMs, SWEEP_MAX],
  );
  return rows.map(toTransaction);
}

/**
 * Flags what has been with its channel for longer than its time without an answer, whoever is asking or not asking:
 * the flag must not depend on the flow that may be what is broken. Returns how many were new.
 */
export async function flagOverdue(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    `WITH overdue AS (
       -- Locked, so that none of them is settled, and its entries closed, before this one is opened.
       SELECT id, handed_over_at FROM transactions t
       WHERE status = 'pending' AND handed_over_at < now() - (timing->>'attentionAfterMs')::bigint * interval '1 millisecond'
         AND NOT EXISTS (SELECT 1 FROM attention a
                         WHERE a.transaction_id = t.id AND a.reason = 'unknown_outcome' AND a.resolved_at IS NULL)
       LIMIT $1 FOR NO KEY UPDATE OF t SKIP LOCKED)
     INSERT INTO attention (transaction_id, reason, detail)
     SELECT id, 'unknown_outcome', 'The channel has given no answer since ' || handed_over_at FROM overdue
     ON CONFLICT DO NOTHING`,
    [SWEEP_MAX],
  );
  return rowCount ?? 0;
}

/**
 * Submissions whose workflow ended before it answered: once they are too old to be accepted, their key gets the
 * refusal that an accepting transaction would have stored. Returns how many.
 */
export async function refuseAbandoned(
  db: Queryable,
  refusal: (submission: { requestId: string }) => string,
): Promise<number> {
  const { rows } = await db.query(
    `SELECT * FROM abandoned_submissions WHERE resolved_at IS NULL AND noticed_at < now() - interval '15 minutes' LIMIT $1`,
    [SWEEP_MAX],
  );
  for (const row of rows) {
    await db.query(
      `INSERT INTO idempotency_keys (account_id, key, transaction_id, submission_id, operation, fingerprint, http_status, body)
       VALUES ($1, $2, $3, gen_random_uuid(), $4, $5, 409, $6) ON CONFLICT DO NOTHING`,
      [
        row.account_id,
        row.idempotency_key,
        row.transaction_id,
        row.operation,
        row.fingerprint,
        refusal({ requestId: row.request_id }),
      ],
    );
    await db.query('UPDATE abandoned_submissions SET resolved_at = now() WHERE transaction_id = $1', [
      row.transaction_id,
    ]);
  }
  return rows.length;
}
