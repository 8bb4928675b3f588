import { BrokenInvariant } from '../../domain/errors.ts';
import { type Minor, minor } from '../../domain/money.ts';
import { ERASED_MSISDN } from '../../domain/msisdn.ts';
import { refundWithinDays } from '../../domain/network.ts';
import { type PaidPart, REFUNDS_MAX, type RefundSummary } from '../../domain/refund.ts';
import {
  type CollectionTransaction,
  isBilled,
  isMerchants,
  isPayout,
  type TransactionOf,
} from '../../domain/transaction.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { billPaymentsOf } from '../rows/bill-store.ts';
import { isProven, PARTY_OF_RECEIPT, PARTY_OF_TRANSACTION, type StoredParty } from '../rows/row-mac.ts';
import { getTransaction } from '../rows/store.ts';

/** Payments that can be given back: each one that a bill or QR code received, or the one of a completed push. */
export async function paidPartsOf(db: Queryable, payment: CollectionTransaction): Promise<PaidPart[]> {
  const proven = await provenPartsOf(db, payment);
  const payerOf = (number: number | null, msisdn: string | null) =>
    proven.has(number) || msisdn === ERASED_MSISDN ? msisdn : null;
  if (isBilled(payment)) {
    const received = await billPaymentsOf(db, payment.id);
    return received.map(({ receivedAt, ...part }) => {
      return { ...part, msisdn: payerOf(part.number, part.msisdn), paidAt: receivedAt };
    });
  }
  if (payment.status !== 'completed') return [];
  const { channel, channelReference: receipt, fullName, amount, statusAt: paidAt } = payment;
  const msisdn = payerOf(null, payment.msisdn);
  return [{ number: null, channel, receipt, msisdn, fullName, amount, paidAt }];
}

/** The parts whose payer a process of ours wrote down, by their numbers: nobody else is given money back. */
async function provenPartsOf(db: Queryable, { id }: CollectionTransaction): Promise<Set<number | null>> {
  const { rows } = await db.query(
    `SELECT NULL::smallint AS number, ${PARTY_OF_TRANSACTION} AS party FROM transactions t WHERE id = $1
     UNION ALL SELECT number, ${PARTY_OF_RECEIPT} FROM bill_receipts r WHERE transaction_id = $1 AND outcome = 'accepted'`,
    [id],
  );
  return new Set(rows.filter(({ party }) => isProven(db, party as StoredParty)).map(({ number }) => number));
}

/**
 * The sums of the refunds so far: what is pending or paid and did not come back, and what moved beside that (a refund that
 * failed and was paid all the same, one that was paid twice, a payment that its channel gave back itself, also as the push of a
 * page) and was not given back by its channel: the payer has that money, whoever bears it. To accept one more, call it under the payment's row lock, which every refund of it takes.
 */
export async function refundsSoFar(
  db: Queryable,
  of: { payment: string; part: PaidPart },
): Promise<{ refunds: number; refunded: Minor; isTooOld: boolean }> {
  const { rows } = await db.query(
    `WITH prompts AS (
       SELECT p.id FROM bill_receipts b JOIN transactions paid ON paid.id = b.transaction_id
       JOIN transactions p ON p.pays IN (paid.id, paid.number_id)
         AND (p.id = b.prompt_id OR p.is_receipt AND p.channel_reference = b.receipt AND receipt_space(p.connection) = b.space)
       WHERE b.transaction_id = $1 AND b.number = $2)
     SELECT count(*) FILTER (WHERE r.refund_of = $1) AS refunds, $3::timestamptz < now() - make_interval(days => $4) AS old,
       coalesce(sum(CASE WHEN r.refund_of = $1 AND r.returned_at IS NULL AND r.status IN ('pending', 'paid') THEN r.amount ELSE 0 END
         + beside.moved)
         FILTER (WHERE r.refund_payment IS NOT DISTINCT FROM $2 OR r.id IN (SELECT id FROM prompts)), 0)::bigint AS refunded
     FROM transactions r CROSS JOIN LATERAL (
       SELECT greatest(0, -coalesce(sum(i.amount), 0)) AS moved
       FROM suspense_items i LEFT JOIN transfers went ON went.id = i.left_by
       WHERE i.transaction_id = r.id AND i.currency = r.currency AND coalesce(went.kind, '') NOT IN ('suspense_return', 'void')) beside
     WHERE r.refund_of = $1 OR r.id = $1 OR r.id IN (SELECT id FROM prompts) /* never null: old, refunded, refunds */`,
    [of.payment, of.part.number, of.part.paidAt, refundWithinDays],
  );
  const { refunds, refunded, old } = rows[0];
  return { refunds, refunded: minor(refunded), isTooOld: old };
}

/**
 * Whether this refund would give back more than was paid: another one that had failed reached the payer after all, while
 * this one waited for its channel. Asked before each send.
 */
export async function exceedsPayment(db: Queryable, refund: TransactionOf<'refund'>): Promise<boolean> {
  const payment = await getTransaction(db, refund.refundOf);
  if (!payment || !isMerchants(payment) || isPayout(payment))
    throw new BrokenInvariant(`the refund ${refund.id} is of ${refund.refundOf}, which is no payment`);
  const { rows } = await db.query('SELECT refund_payment AS number FROM transactions WHERE id = $1', [
    refund.id,
  ]);
  const part = (await paidPartsOf(db, payment)).find(({ number }) => number === rows[0]?.number);
  if (!part)
    throw new BrokenInvariant(`the refund ${refund.id} is of a part that ${payment.id} does not have`);
  const { refunded } = await refundsSoFar(db, { payment: payment.id, part });
  return refunded > part.amount;
}

/** The refunds of a payment as its lookup shows them, oldest first. */
export async function refundsOf(db: Queryable, paymentId: string): Promise<RefundSummary[]> {
  const { rows } = await db.query(
    `SELECT id, status, amount, created_at AS "createdAt" FROM transactions
     WHERE refund_of = $1 ORDER BY created_at, id LIMIT $2`,
    [paymentId, REFUNDS_MAX],
  );
  return rows as RefundSummary[];
}
