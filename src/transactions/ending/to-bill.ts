import { BILL_PAYMENTS_MAX, type BillRefusal, refusalOf } from '../../domain/bill.ts';
import type { SuspenseItem } from '../../ledger/suspense.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { only } from '../../platform/db/rows.ts';
import { payerOf } from '../acceptance/paybacks.ts';
import type { Agreed, BillNotification } from '../rows/bill-receipts.ts';
import { expiryOf } from '../rows/bill-store.ts';
import { asItWas, type Billed, lockBilled } from './billed.ts';
import { decide } from './bills.ts';

/** Why an item cannot pay: refused by a rule for notifications, a closed bill, or another bill's receipt. */
export type Unpayable =
  | Exclude<BillRefusal, 'bill_closed' | 'unknown_reference'>
  | 'paid'
  | 'cancelled'
  | 'expired'
  | 'full'
  | 'told_for_another';

/** `refused`: why the bill cannot take the item now. */
export type ItemOfBill = { bill: Billed; payment: BillNotification; refused: Unpayable | null };

/**
 * Finds the bill or number that an item pays. The item's transaction names it (a push from a page by `pays`);
 * without one, the report with the item's receipt. Applies the rules for notifications under the row lock.
 * But a closed number accepts the item, and so does an expired bill if a statement shows the payment.
 */
export async function billOfItem(db: Queryable, item: SuspenseItem): Promise<ItemOfBill | null> {
  const { id, amount, currency, channel } = item;
  const { rows } = await db.query(
    `SELECT CASE WHEN t.id IS NULL THEN r.control_number
       ELSE coalesce((SELECT b.control_number FROM bills b WHERE b.transaction_id = coalesce(t.pays, t.id)),
           (SELECT n.control_number FROM numbers n
             WHERE n.id = coalesce(t.pays, t.number_id))) END AS "controlNumber",
       r.control_number AS "toldFor", coalesce(r.reason = 'receipt_of_another', false) AS "isOfAnother",
       coalesce(r.receipt, its.name, i.receipt) AS receipt,
       coalesce(r.connection, t.connection, m.connection) AS connection,
       r.receipt IS NULL AND its.name IS NULL AS "isOurs",
       CASE WHEN t.pays IS NOT NULL AND t.status <> 'pending' AND t.amount = i.amount
         AND t.currency = i.currency
         AND NOT EXISTS (SELECT FROM bill_receipts o WHERE o.prompt_id = t.id) THEN t.id END AS prompt
     FROM suspense_items i LEFT JOIN transactions t ON t.id = i.transaction_id
     LEFT JOIN entries e ON e.transfer_id = i.transfer_id AND e.movement_id IS NOT NULL
     LEFT JOIN movements m ON m.id = e.movement_id
     LEFT JOIN LATERAL (SELECT n.name FROM movement_names n
       WHERE n.movement_id = m.id AND n.is_receipt AND n.freed_at IS NULL ORDER BY n.id LIMIT 1) its ON true
     LEFT JOIN LATERAL (SELECT * FROM bill_receipts s
       WHERE s.space = i.space AND s.outcome = 'suspended' AND s.receipt = ANY(ARRAY[i.receipt, its.name])
       LIMIT 1) r ON true
     WHERE i.id = $1 /* never null: isOfAnother, receipt, isOurs */`,
    [id],
  );
  const { controlNumber, toldFor, isOfAnother, connection, ...its } = only(rows);
  if (controlNumber === null || connection === null) return null;
  const payer = await payerOf(db, item);
  const payment = {
    ...its,
    controlNumber,
    controlNumberAsSent: controlNumber,
    connection,
    channel,
    amount,
    currency,
    amountAsSent: String(amount),
    refusalReturnsMoney: false,
    msisdn: payer?.msisdn ?? null,
    fullName: payer?.fullName ?? null,
  };
  const found = await lockBilled(db, controlNumber, payment);
  if (!found) return null;
  const isKept = 'number' in found || (await expiryOf(db, found.transaction.id)).shown !== null;
  const bill = isKept ? asItWas(found) : found;
  const isElsewhere = isOfAnother || (toldFor !== null && toldFor !== controlNumber);
  return { bill, payment, refused: isElsewhere ? 'told_for_another' : whyNot(bill, payment) };
}

function whyNot(bill: Billed, payment: BillNotification): Unpayable | null {
  const refusal = refusalOf(bill, payment);
  if (refusal === 'unknown_reference') return 'told_for_another';
  if (refusal !== 'bill_closed') return refusal;
  if ('number' in bill || bill.payments >= BILL_PAYMENTS_MAX) return 'full';
  const { status } = bill.transaction;
  if (status === 'completed') return 'paid';
  return status === 'cancelled' ? 'cancelled' : 'expired';
}

/**
 * Books an item as the payment, under the same movement, and writes all that a notification would. Returns
 * the payment for the workflow. Null if it is refused; then the caller rolls back. Needs the locks of
 * `billOfItem` and the item.
 */
export async function payWithItem(
  db: Queryable,
  { payment }: ItemOfBill,
  { item, ...agreed }: Agreed & { item: string },
): Promise<{ transactionId: string; payment: BillNotification } | null> {
  const taken = { ...payment, item, agreed };
  const decision = await decide(db, taken, true);
  return decision.outcome === 'accepted' ? { transactionId: decision.transactionId, payment } : null;
}
