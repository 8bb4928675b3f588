import type { BillRefusal } from '../../domain/bill.ts';
import type { BillReply } from '../../domain/bill-reply.ts';
import { BrokenInvariant } from '../../domain/errors.ts';
import { addNames, toldNames } from '../../ledger/booked.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { raiseAttention } from '../care/attention.ts';
import { type BillNotification, findReceipt, moneyOf, type StoredReceipt } from '../rows/bill-receipts.ts';
import { lockBilled } from './billed.ts';

/** The channel gets the same answer for `accepted`, `repeated` and `suspended`: we have the money. */
export type BillDecision =
  /** `isBegun`: the payment is a transaction of its own, and no workflow knows it yet */
  | { outcome: 'accepted'; transactionId: string; isBegun?: true }
  /** `unsignalled`: Temporal may not know it yet */
  | { outcome: 'repeated'; transactionId: string; unsignalled: boolean }
  | { outcome: 'refused'; reason: BillRefusal }
  | { outcome: 'suspended'; transactionId: string | null };

export function decisionOf(stored: StoredReceipt): BillDecision {
  if (stored.outcome === 'suspended') return { outcome: 'suspended', transactionId: stored.transactionId };
  if (stored.reason !== null) return { outcome: 'refused', reason: stored.reason };
  if (stored.transactionId === null) throw new BrokenInvariant('an accepted receipt without a bill');
  return {
    outcome: 'repeated',
    transactionId: stored.transactionId,
    unsignalled: !stored.isSignalled,
  };
}

export function decidedOf(decision: BillDecision): {
  reply: Exclude<BillReply, 'try_again'>;
  transactionId: string | null;
} {
  if (decision.outcome === 'refused') return { reply: decision.reason, transactionId: null };
  const reply = decision.outcome === 'repeated' ? 'duplicate' : 'ok';
  return { reply, transactionId: decision.transactionId };
}

/**
 * If this report or an earlier one has no receipt, compares control number, payer, amount and minute to find
 * the earlier one. Two reports are two payments only if both have a receipt. If two earlier payments match, a
 * person is notified.
 */
export async function tellAgain(db: Queryable, payment: BillNotification): Promise<BillDecision | null> {
  const { hasReceipt, connection, receipt, controlNumber, amount, currency, msisdn } = payment;
  if (hasReceipt === undefined || controlNumber === null || msisdn === null) return null;
  // With the lock, the second of two concurrent messages finds the first.
  await lockBilled(db, controlNumber, payment);
  const { rows } = await db.query(
    `SELECT b.receipt, m.id AS movement FROM bill_receipts b
     LEFT JOIN LATERAL (SELECT id FROM (
       SELECT id, 1 AS rank FROM movements WHERE transaction_id = b.transaction_id AND part = b.number
       UNION ALL SELECT e.movement_id, 2 FROM suspense_items i
         JOIN entries e ON e.transfer_id = i.transfer_id AND NOT e.takes_back
         WHERE i.space = b.space AND i.receipt = b.receipt AND NOT i.is_void AND b.outcome = 'suspended'
           AND e.movement_id IS NOT NULL
       UNION ALL SELECT n.movement_id, 3 FROM movement_names n
         WHERE n.space = b.space AND n.plain = plain_name(b.receipt) AND NOT n.is_receipt
           AND n.freed_at IS NULL) its ORDER BY rank LIMIT 1) m ON true
     WHERE b.msisdn = $1 AND b.received_at > now() - interval '1 minute' AND b.space = receipt_space($2)
       AND b.control_number = $3
       AND b.amount = $4 AND b.currency = $5 AND b.outcome <> 'refused'
       AND (NOT $6::boolean OR m.id IS NOT NULL
         AND NOT EXISTS (SELECT FROM movement_names n
           WHERE n.movement_id = m.id AND n.is_receipt AND n.plain <> plain_name($7)))
     LIMIT 2 /* never null: receipt */`,
    [msisdn, connection, controlNumber, amount, currency, hasReceipt, receipt],
  );
  const [first, second] = rows;
  if (!first) return null;
  if (second) {
    const detail =
      `${payment.channel} (${connection}) told ` +
      `${moneyOf(payment)} for ${controlNumber} without a ` +
      'receipt, and two payments of its payer and minute fit: nothing was booked';
    const name = `${connection}:${receipt}`;
    await raiseAttention(db, { subject: name, thing: name, reason: 'receipt_mismatch', detail });
    return { outcome: 'suspended', transactionId: null };
  }
  if (hasReceipt && first.movement !== null)
    await addNames(db, toldNames(first.movement, { ...payment, channelReference: receipt }));
  const { stored } = await findReceipt(db, { connection, receipt: first.receipt });
  return stored && decisionOf(stored);
}
