import { randomUUID } from 'node:crypto';
import type { Queryable } from '../db/pool.ts';
import { channelReferenceOf } from '../domain/ids.ts';
import { ERASED_MSISDN } from '../domain/msisdn.ts';
import type { FlowTiming } from '../domain/timing.ts';
import { type PaybackSubject, takeForPayback } from '../ledger/payable.ts';
import type { SuspenseItem } from '../ledger/suspense.ts';
import { handOverWithinMs } from './submissions.ts';

export type Payer = { msisdn: string; fullName: string | null };

/**
 * Who paid an item above zero: the customer of the push that it belongs to, or whom a payback did not reach; else whom the
 * channel named with its receipt. A refused receipt is nobody's payment. Null where nobody is known any more.
 */
export async function payerOf(db: Queryable, item: SuspenseItem): Promise<Payer | null> {
  const { rows } = await db.query(
    `SELECT * FROM (
       SELECT msisdn, full_name FROM transactions WHERE id = $3 AND mode IN ('ussd', 'payback') AND channel = $5
       UNION ALL SELECT msisdn, full_name FROM bill_receipts
       WHERE space = $1 AND receipt = ANY($2) AND channel = $5 AND outcome = 'suspended' AND msisdn IS NOT NULL
         AND NOT EXISTS (SELECT FROM transactions WHERE id = $3 AND mode IN ('ussd', 'payback'))) payers
     -- That is nobody's number: it stands where somebody's was erased.
     WHERE msisdn <> $4 LIMIT 1`,
    [item.space, [item.receipt, item.knownAs], item.transactionId, ERASED_MSISDN, item.channel],
  );
  const [row] = rows;
  return row ? { msisdn: row.msisdn, fullName: row.full_name } : null;
}

/**
 * Writes down a payback of an open item and takes its money out of suspense. Returns its id; null where the item is not
 * open. Nothing is sent: its workflow is started after the commit. Inside the transaction of the approval.
 */
export async function openPayback(
  db: Queryable,
  payback: {
    item: SuspenseItem;
    payer: Payer;
    /** what carries payouts over the item's channel */
    connection: string;
    timing: FlowTiming;
    proposalId: string;
    note: string;
  },
): Promise<string | null> {
  const { item, payer, connection, timing, proposalId, note } = payback;
  const transactionId = randomUUID();
  const reference = channelReferenceOf('payout', transactionId);
  const { rows } = await db.query(
    `SELECT open_payback($1, $2, $3, $4, $5, $6, $7, $8 * interval '1 millisecond') AS opened`,
    [
      transactionId,
      item.id,
      reference,
      payer.msisdn,
      payer.fullName,
      connection,
      timing,
      handOverWithinMs(timing),
    ],
  );
  if (!rows[0].opened) return null;
  const { channel, currency, amount: value } = item;
  const subject: PaybackSubject = { transactionId, item: item.id, currency, channel, reference, value };
  return (await takeForPayback(db, subject, { proposalId, note })) ? transactionId : null;
}
