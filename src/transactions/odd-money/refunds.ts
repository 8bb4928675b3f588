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
import { only } from '../../platform/db/rows.ts';
import { billPaymentsOf } from '../rows/bill-store.ts';
import { isLine, MOVED_BESIDE, type Moved, movedOf } from '../rows/moved.ts';
import { isProven, PARTY_OF_RECEIPT, PARTY_OF_TRANSACTION, type StoredParty } from '../rows/row-mac.ts';
import { getTransaction } from '../rows/store.ts';

/** Returns the refundable payments: each payment of a bill or QR code, or a completed push. */
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

/** Says why nothing of it can be refunded. `pays_bill`: its money came late, and paid its bill or number. */
export async function whyNotPaid(
  db: Queryable,
  payment: CollectionTransaction,
): Promise<'not_paid' | 'not_paid_yet' | 'paid_beside' | 'pays_bill'> {
  const { rows } = await db.query(
    `SELECT EXISTS (SELECT FROM bill_receipts WHERE prompt_id = $1 AND outcome = 'accepted') AS "paysBill",
       EXISTS (SELECT FROM suspense_items WHERE transaction_id = $1 AND amount > 0 AND NOT is_void) AS beside
     /* never null: paysBill, beside */`,
    [payment.id],
  );
  const { paysBill, beside } = only(rows);
  if (paysBill) return 'pays_bill';
  if (beside) return 'paid_beside';
  return payment.status === 'pending' && !isBilled(payment) ? 'not_paid_yet' : 'not_paid';
}

/** Returns the parts whose payer row has a valid MAC; only their payers are given money back. */
async function provenPartsOf(db: Queryable, { id }: CollectionTransaction): Promise<Set<number | null>> {
  const { rows } = await db.query(
    `SELECT NULL::smallint AS number, ${PARTY_OF_TRANSACTION} AS party FROM transactions t WHERE id = $1
     UNION ALL SELECT number, ${PARTY_OF_RECEIPT} FROM bill_receipts r
     WHERE transaction_id = $1 AND outcome = 'accepted'`,
    [id],
  );
  return new Set(rows.filter(({ party }) => isProven(db, party as StoredParty)).map(({ number }) => number));
}

/** `waiting`: a statement line showing that money went back; it blocks refunds. */
type GoneBack = {
  refunds: number;
  refunded: Minor;
  isTooOld: boolean;
  isGivenBack: boolean;
  waiting: string | null;
};

/**
 * Sums the money that the payer got back or will get: refunds that are pending or paid and not returned, and
 * odd money (a failed refund that was paid, a refund paid twice, a payment that the network gave back),
 * whoever bears the cost. Call it under the payment's row lock, which every refund takes.
 */
export async function refundsSoFar(
  db: Queryable,
  { payment, part }: { payment: string; part: PaidPart },
): Promise<GoneBack> {
  const { rows } = await db.query(
    `SELECT count(*) AS refunds, $3::timestamptz < now() - make_interval(days => $4) AS old,
       coalesce(sum(CASE WHEN t.returned_at IS NULL AND t.status IN ('pending', 'paid') THEN t.amount
         ELSE 0 END + ${MOVED_BESIDE})
         FILTER (WHERE t.refund_payment IS NOT DISTINCT FROM $2), 0)::bigint AS refunded
     FROM transactions t WHERE t.refund_of = $1 /* never null: old, refunded, refunds */`,
    [payment, part.number, part.paidAt, refundWithinDays],
  );
  const { refunds, refunded, old } = only(rows);
  const moved = (await movedOf(db, [payment])).filter((one) => one.part === null || one.part === part.number);
  const items = moved.filter(({ id, left }) => !isLine(id) && left !== 'suspense_return');
  const own = items.filter(({ isBooked }) => isBooked);
  // Extra money that came in offsets money that went back for an unknown part.
  const gone = goneOf(own) + goneOf(items.filter((one) => !own.includes(one)));
  const isGivenBack = gone >= part.amount && items.some(({ amount, isShown }) => isShown && amount < 0);
  const waiting = moved.find(
    ({ id, amount, of, isBooked }) => isLine(id) && amount < 0 && (of === null || isBooked),
  );
  const sums = { refunds, refunded: minor(refunded + gone), isTooOld: old };
  return { ...sums, isGivenBack, waiting: waiting?.id ?? null };
}

const goneOf = (items: readonly Moved[]): number =>
  Math.max(0, -items.reduce((sum, { amount }) => sum + amount, 0));

/** True if the refund would give back too much, because a failed one was paid since. Checked at each send. */
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

export async function refundsOf(db: Queryable, paymentId: string): Promise<RefundSummary[]> {
  const { rows } = await db.query(
    `SELECT id, status, amount, created_at AS "createdAt" FROM transactions
     WHERE refund_of = $1 ORDER BY created_at, id LIMIT $2`,
    [paymentId, REFUNDS_MAX],
  );
  return rows as RefundSummary[];
}
