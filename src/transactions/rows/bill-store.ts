import {
  BILL_PAYMENTS_MAX,
  type BillPayment,
  type BillState,
  type BillView,
  outstandingOf,
} from '../../domain/bill.ts';
import { type Minor, minor } from '../../domain/money.ts';
import { billLimits } from '../../domain/network.ts';
import { type BilledTransaction, isBilled, isFinal } from '../../domain/transaction.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { only } from '../../platform/db/rows.ts';
import { now, update } from '../../platform/db/write.ts';
import { SHOWN } from './moved.ts';
import { getTransaction, lockTransaction } from './store.ts';

/** receipts and payers per claim; a customer with more attempts starts a new claim */
const CLAIMANTS_MAX = 40;

/** Facts for deciding about a payment, read under the bill's row lock. Amounts are minor units. */
export type LockedBill = BillState & {
  transaction: BilledTransaction;
  paid: Minor;
  /** sum over the accepted payments so far */
  fees: Minor;
  /** time after the lock was taken, so decisions and receipts are in commit order */
  now: string;
};

/** Claims by `claimants` do not count as another customer's. */
export async function lockBill(
  db: Queryable,
  where: { controlNumber: string; claimants: string[] },
): Promise<LockedBill | null> {
  const found = await db.query('SELECT transaction_id FROM bills WHERE control_number = $1', [
    where.controlNumber,
  ]);
  if (!found.rows[0]) return null;
  const transaction = await lockTransaction(db, found.rows[0].transaction_id);
  if (!transaction || !isBilled(transaction)) return null;
  const { rows } = await db.query(
    `SELECT b.mode, b.paid, b.payments, b.expires_at <= clock_timestamp() AS expired,
       clock_timestamp() AS now,
       b.claimed_until > clock_timestamp() AND NOT b.claimed_by && $2::text[] AS claimed,
       (SELECT coalesce(sum(r.fee), 0)::bigint FROM bill_receipts r
        WHERE r.transaction_id = b.transaction_id AND r.outcome = 'accepted') AS fees /* never null: fees */
     FROM bills b WHERE b.transaction_id = $1`,
    [transaction.id, where.claimants],
  );
  const row = only(rows);
  return {
    transaction,
    open: !isFinal(transaction.status),
    expired: row.expired,
    mode: row.mode,
    amount: transaction.amount,
    currency: transaction.currency,
    payments: row.payments,
    claimedByAnother: row.claimed ?? false,
    maximum: billLimits.maximum,
    paid: minor(row.paid),
    fees: minor(row.fees),
    now: row.now,
  };
}

/** Reserves an exact bill for one customer, who may have several receipts. Call it under the row lock. */
export async function claim(
  db: Queryable,
  wanted: { transactionId: string; by: string[]; seconds: number },
): Promise<void> {
  await db.query(
    `UPDATE bills SET claimed_until = greatest(claimed_until, clock_timestamp() + $3 * interval '1 second'),
       claimed_by = CASE WHEN claimed_until > clock_timestamp() AND cardinality(claimed_by) < $4
         THEN (SELECT array_agg(DISTINCT one) FROM unnest(claimed_by || $2::text[]) one) ELSE $2 END
     WHERE transaction_id = $1`,
    [wanted.transactionId, wanted.by, wanted.seconds, CLAIMANTS_MAX],
  );
}

export const promptClaimOf = (id: string) => `prompt:${id}`;

/** Keeps the claim of a prompt that is being sent until the prompt ends. Takes the bill's row lock. */
export async function keepClaim(
  db: Queryable,
  prompt: { id: string; pays: string; promptMs: number },
): Promise<void> {
  await db.query(
    `UPDATE bills
     SET claimed_until = greatest(claimed_until, clock_timestamp() + $3 * interval '1 millisecond')
     WHERE transaction_id = $1 AND $2 = ANY(claimed_by)`,
    [prompt.pays, promptClaimOf(prompt.id), prompt.promptMs],
  );
}

/** SQL: true unless bill `b` has a payment with an unreadable amount, which may have paid the bill. */
const ALL_READ = `NOT EXISTS (SELECT FROM suspense_items i
    WHERE i.transaction_id = b.transaction_id AND i.amount = 0 AND i.is_open)`;

/** SQL: end of a push's prompt, or the latest time to send it. */
export const PROMPT_ENDS = `coalesce(prompt_expires_at, created_at +
  ((timing->>'sendQueueMs')::int + (timing->>'notSentRetryMs')::int + (timing->>'promptMs')::int)
  * interval '1 millisecond')`;

/** SQL: true unless a push from bill `b`'s page waits for its customer or may still be sent. */
const NO_PROMPT = `NOT EXISTS (SELECT FROM transactions p
    WHERE p.pays = b.transaction_id AND p.status = 'pending' AND ${PROMPT_ENDS} > now())`;

/** True if operators have set every unreadable amount of the bill's payments. */
export async function isAllRead(db: Queryable, transactionId: string): Promise<boolean> {
  const { rowCount } = await db.query(`SELECT FROM bills b WHERE transaction_id = $1 AND ${ALL_READ}`, [
    transactionId,
  ]);
  return rowCount === 1;
}

/** Returns when the claim and the prompts of an unpaid bill end, in whole seconds; now if there are none. */
export async function busyUntil(db: Queryable, transactionId: string): Promise<string> {
  const { rows } = await db.query(
    `SELECT greatest(clock_timestamp(), claimed_until, (SELECT max(${PROMPT_ENDS}) FROM transactions p
       WHERE p.pays = b.transaction_id AND p.status = 'pending')) + interval '1 second' AS at
     FROM bills b WHERE transaction_id = $1 /* never null: at */`,
    [transactionId],
  );
  return only(rows).at.replace(/\.\d+Z$/, 'Z');
}

/** True if nothing was paid and no payment is under way. Call it under the bill's row lock. */
export async function isUntouched(db: Queryable, transactionId: string): Promise<boolean> {
  const { rows } = await db.query(
    `SELECT payments = 0 AND coalesce(claimed_until <= clock_timestamp(), true) AND ${ALL_READ}
       AND ${NO_PROMPT} AS untouched FROM bills b WHERE transaction_id = $1`,
    [transactionId],
  );
  return rows[0]?.untouched ?? false;
}

/**
 * `isOver`: expired by Postgres's clock (which notifications use too), without unreadable payments or open
 * prompts. `shown`: a statement line or suspense item that shows a payment of the bill.
 */
export async function expiryOf(
  db: Queryable,
  transactionId: string,
): Promise<{ isOver: boolean; shown: string | null }> {
  const { rows } = await db.query(
    `SELECT b.expires_at <= clock_timestamp() AND ${ALL_READ} AND ${NO_PROMPT} AS "isOver", ${SHOWN} AS shown
     FROM bills b JOIN transactions t ON t.id = b.transaction_id
     WHERE b.transaction_id = $1 /* never null: isOver */`,
    [transactionId],
  );
  return rows[0] ?? { isOver: false, shown: null };
}

/** Postpones the overdue alarm, because the workflow asks again within an hour. */
export async function keepWaiting(db: Queryable, transactionId: string): Promise<void> {
  await update(db, 'transactions', { overdue_at: now(2 * 3_600_000) }, { id: transactionId });
}

/** Takes no lock and no claim. */
export async function lookUpBill(db: Queryable, controlNumber: string): Promise<BillView | null> {
  const found = await db.query(
    `SELECT b.transaction_id, a.name, b.expires_at <= now() AS expired
     FROM bills b JOIN accounts a ON a.id = b.account_id WHERE b.control_number = $1`,
    [controlNumber],
  );
  const row = found.rows[0];
  const transaction = row ? await getTransaction(db, row.transaction_id) : null;
  if (!row || !transaction || !isBilled(transaction)) return null;
  const { bill } = transaction;
  return {
    transactionId: transaction.id,
    accountId: transaction.accountId,
    controlNumber,
    merchantName: row.name,
    description: bill.description,
    mode: bill.mode,
    amount: transaction.amount,
    paid: bill.paid,
    outstanding: outstandingOf(bill, transaction.amount),
    currency: transaction.currency,
    open: !isFinal(transaction.status) && !row.expired && bill.payments < BILL_PAYMENTS_MAX,
    createdAt: transaction.createdAt,
    updatedAt: transaction.updatedAt,
    expiresAt: bill.expiresAt,
  };
}

export async function billPaymentsOf(db: Queryable, transactionId: string): Promise<BillPayment[]> {
  const { rows } = await db.query(
    `SELECT number, channel, receipt, amount, fee, msisdn, full_name AS "fullName",
       received_at AS "receivedAt"
     FROM bill_receipts WHERE transaction_id = $1 AND outcome = 'accepted' ORDER BY number`,
    [transactionId],
  );
  return rows as BillPayment[];
}

/** A payment that the network notified, and what we decided. */
export type NotifiedPayment = Pick<
  BillPayment,
  'channel' | 'receipt' | 'amount' | 'msisdn' | 'fullName' | 'receivedAt'
> & {
  currency: string;
  outcome: 'accepted' | 'refused' | 'suspended';
  /** why it was not accepted; null: accepted */
  reason: string | null;
};

/** newest payments shown; a bill may have 500 */
const NOTIFIED_SHOWN = 20;

export async function notifiedPaymentsOf(
  db: Queryable,
  transactionIds: readonly string[],
): Promise<Map<string, NotifiedPayment[]>> {
  const { rows } = await db.query(
    `SELECT wanted.id, r.channel, r.receipt, r.amount, r.currency, r.msisdn, r.outcome, r.reason,
       r.full_name AS "fullName", r.received_at AS "receivedAt"
     FROM unnest($1::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
       SELECT * FROM bill_receipts WHERE transaction_id = wanted.id
       ORDER BY received_at DESC LIMIT ${NOTIFIED_SHOWN}) r
     ORDER BY wanted.id, r.received_at /* never null: id */`,
    [transactionIds],
  );
  const payments = new Map<string, NotifiedPayment[]>();
  for (const { id, ...payment } of rows)
    payments.set(id, [...(payments.get(id) ?? []), payment as NotifiedPayment]);
  return payments;
}

export type ClosedBill = 'cancelled' | 'expired';

/** Returns null while a bill can be paid, and after it was paid: a repeat then gets the first answer. */
export async function closedBillOf(db: Queryable, transactionId: string): Promise<ClosedBill | null> {
  const { rows } = await db.query('SELECT status FROM transactions WHERE id = $1', [transactionId]);
  switch (rows[0]?.status) {
    case 'cancelled':
      return 'cancelled';
    case 'failed':
      return 'expired';
    default:
      return null;
  }
}
