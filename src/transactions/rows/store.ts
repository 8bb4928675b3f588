import { inSql } from '../../db/literals.ts';
import type { Queryable } from '../../db/pool.ts';
import { prepared } from '../../db/prepared.ts';
import { isBilledMode, kinds, modes } from '../../domain/kinds.ts';
import { isBilled, type MerchantTransaction, type Transaction } from '../../domain/transaction.ts';
import { toMerchantTransaction, toTransaction } from './read-transaction.ts';

/** Every column that a Transaction needs; `t` is the alias. */
export const transactionColumns = `t.id, t.account_id, t.api_key_id, t.mode, t.status, t.event, t.amount, t.currency, t.fee,
  t.fee_version, t.settled, t.channel, t.connection, t.reference, t.channel_reference, t.msisdn, t.full_name, t.bic, t.account_number,
  t.metadata, t.failure_code, t.timing, t.handed_over_at, t.prompt_expires_at, t.next_enquiry_at, t.waits_until, t.paid_at, t.returned_at,
  t.return_reason, t.refund_of, t.refund_reason, t.suspense_item, t.created_at, t.updated_at, t.status_at,
  t.status = 'pending' AND t.handed_over_at IS NOT NULL AND coalesce((
    SELECT bool_or(coalesce(s.outcome = 'unknown', s.handed_over_at < now() - interval '1 minute'))
    FROM sends s WHERE s.transaction_id = t.id), false) AS unclear,
  EXISTS (SELECT 1 FROM attention a WHERE a.transaction_id = t.id AND a.resolved_at IS NULL) AS attention,
  CASE WHEN t.mode IN (${inSql(modes.filter(isBilledMode))}) THEN (
    SELECT json_build_object('controlNumber', b.control_number, 'paymentNumber', b.payment_number, 'mode', b.mode,
      'description', b.description, 'paid', b.paid, 'payments', b.payments,
      'expiresAt', to_char(b.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
    FROM bills b WHERE b.transaction_id = t.id) END AS bill,
  CASE WHEN t.mode IN (${inSql(modes.filter((mode) => kinds[mode].isRefundable))}) THEN (
    SELECT coalesce(sum(r.amount) FILTER (WHERE r.status IN ('pending', 'paid')), 0)::bigint
    FROM transactions r WHERE r.refund_of = t.id HAVING count(*) > 0) END AS refunded`;

/** One transaction of one account; null when the id is unknown or another account's. */
export async function findTransaction(
  db: Queryable,
  where: { id: string; accountId: string },
): Promise<MerchantTransaction | null> {
  const { rows } = await db.query(
    prepared(`SELECT ${transactionColumns} FROM transactions t WHERE t.id = $1 AND t.account_id = $2`),
    [where.id, where.accountId],
  );
  return rows[0] ? toMerchantTransaction(rows[0]) : null;
}

/** One transaction of any account: for activities, notification doors and the command line. */
export async function getTransaction(db: Queryable, id: string): Promise<Transaction | null> {
  const { rows } = await db.query(
    prepared(`SELECT ${transactionColumns} FROM transactions t WHERE t.id = $1`),
    [id],
  );
  return rows[0] ? toTransaction(rows[0]) : null;
}

/** The same under the row lock that every change of a transaction takes first. Only inside a transaction. */
export async function lockTransaction(db: Queryable, id: string): Promise<Transaction | null> {
  const { rows } = await db.query(
    prepared(`SELECT ${transactionColumns} FROM transactions t WHERE t.id = $1 FOR NO KEY UPDATE OF t`),
    [id],
  );
  if (!rows[0]) return null;
  const transaction = toTransaction(rows[0]);
  // Postgres waited for the row of `transactions` only: the bill beside it is read again, as it is now.
  return isBilled(transaction) ? getTransaction(db, id) : transaction;
}
