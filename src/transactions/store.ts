import type { Queryable, Row } from '../db/pool.ts';
import type { Transaction } from '../domain/transaction.ts';

/** Every column that a Transaction needs; `t` is the alias. */
export const transactionColumns = `t.id, t.account_id, t.api_key_id, t.type, t.mode, t.status, t.event, t.amount, t.currency, t.fee,
  t.fee_version, t.settled, t.channel, t.reference, t.channel_reference, t.msisdn, t.full_name, t.bic, t.account_number,
  t.metadata, t.failure_code, t.timing, t.handed_over_at, t.prompt_expires_at, t.next_enquiry_at, t.paid_at, t.returned_at,
  t.return_reason, t.created_at, t.updated_at, t.status_at,
  EXISTS (SELECT 1 FROM attention a WHERE a.transaction_id = t.id AND a.resolved_at IS NULL) AS attention,
  CASE WHEN t.mode IN ('billpay', 'qr') THEN (
    SELECT json_build_object('controlNumber', b.control_number, 'paymentNumber', b.payment_number, 'mode', b.mode,
      'description', b.description, 'paid', b.paid, 'payments', b.payments,
      'expiresAt', to_char(b.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
    FROM bills b WHERE b.transaction_id = t.id) END AS bill`;

/** One transaction of one account; null when the id is unknown or another account's. */
export async function findTransaction(
  db: Queryable,
  where: { id: string; accountId: string },
): Promise<Transaction | null> {
  const { rows } = await db.query(
    `SELECT ${transactionColumns} FROM transactions t WHERE t.id = $1 AND t.account_id = $2`,
    [where.id, where.accountId],
  );
  return rows[0] ? toTransaction(rows[0]) : null;
}

/** One transaction whoever owns it: for activities, notification doors and the command line. */
export async function getTransaction(db: Queryable, id: string): Promise<Transaction | null> {
  const { rows } = await db.query(`SELECT ${transactionColumns} FROM transactions t WHERE t.id = $1`, [id]);
  return rows[0] ? toTransaction(rows[0]) : null;
}

/** The same under the row lock that every change of a transaction takes first. Only inside a transaction. */
export async function lockTransaction(db: Queryable, id: string): Promise<Transaction | null> {
  const { rows } = await db.query(
    `SELECT ${transactionColumns} FROM transactions t WHERE t.id = $1 FOR NO KEY UPDATE OF t`,
    [id],
  );
  if (!rows[0]) return null;
  const transaction = toTransaction(rows[0]);
  // Postgres waited for the row of `transactions` only: the bill beside it is read again, as it is now.
  return transaction.bill ? getTransaction(db, id) : transaction;
}

export function toTransaction(row: Row): Transaction {
  return {
    id: row.id,
    accountId: row.account_id,
    apiKeyId: row.api_key_id,
    type: row.type,
    mode: row.mode,
    status: row.status,
    event: row.event,
    amount: row.amount,
    currency: row.currency,
    fee: row.fee,
    feeVersion: row.fee_version,
    settled: row.settled,
    channel: row.channel,
    reference: row.reference,
    channelReference: row.channel_reference,
    msisdn: row.msisdn,
    fullName: row.full_name,
    bic: row.bic,
    accountNumber: row.account_number,
    metadata: row.metadata,
    failureCode: row.failure_code,
    timing: row.timing,
    handedOverAt: row.handed_over_at,
    promptExpiresAt: row.prompt_expires_at,
    nextEnquiryAt: row.next_enquiry_at,
    paidAt: row.paid_at,
    returnedAt: row.returned_at,
    returnReason: row.return_reason,
    attention: row.attention,
    bill: row.bill,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    statusAt: row.status_at,
  };
}
