import { randomUUID } from 'node:crypto';
import { channelReferenceOf } from '../../domain/ids.ts';
import { ERASED_MSISDN } from '../../domain/msisdn.ts';
import type { FlowTiming } from '../../domain/timing.ts';
import { type PaybackSubject, takeForPayback } from '../../ledger/payable.ts';
import type { SuspenseItem } from '../../ledger/suspense.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import {
  isProven,
  macOfParty,
  PARTY_OF_RECEIPT,
  PARTY_OF_TRANSACTION,
  type StoredParty,
} from '../rows/row-mac.ts';
import { handOverWithinMs } from './submissions.ts';

export type Payer = { msisdn: string; fullName: string | null };

/**
 * Finds the payer of a positive item: the customer of its push, the recipient of a failed payback, or the
 * payer named with the receipt. Ignores refused receipts and rows without a valid MAC. `row`: the source row;
 * only an erasure changes its phone number.
 */
export async function payerOf(db: Queryable, item: SuspenseItem): Promise<(Payer & { row: string }) | null> {
  const { rows } = await db.query(
    `SELECT * FROM (
       SELECT msisdn, full_name, 'transaction ' || id AS row, ${PARTY_OF_TRANSACTION} AS party
       FROM transactions t
       WHERE id = $3 AND mode IN ('ussd', 'payback') AND channel = $5
       UNION ALL SELECT msisdn, full_name, 'receipt ' || space || ' ' || receipt, ${PARTY_OF_RECEIPT}
       FROM bill_receipts r
       WHERE space = $1 AND receipt = ANY($2) AND channel = $5 AND outcome = 'suspended'
         AND msisdn IS NOT NULL
         AND NOT EXISTS (SELECT FROM transactions WHERE id = $3 AND mode IN ('ussd', 'payback'))) payers
     -- That is nobody's number: it stands where somebody's was erased.
     WHERE msisdn <> $4 LIMIT 1 /* never null: msisdn, row, party */`,
    [item.space, [item.receipt, item.knownAs], item.transactionId, ERASED_MSISDN, item.channel],
  );
  const [row] = rows;
  return row && isProven(db, row.party as StoredParty)
    ? { msisdn: row.msisdn, fullName: row.full_name, row: row.row }
    : null;
}

/**
 * Records a payback and takes its money out of suspense. Returns its id; null if the item is not open. Runs
 * in the approval's transaction; the workflow sends after the commit.
 */
export async function openPayback(
  db: Queryable,
  payback: {
    item: SuspenseItem;
    payer: Payer;
    /** connection for payouts over the item's channel */
    connection: string;
    timing: FlowTiming;
    proposalId: string;
    note: string;
  },
): Promise<string | null> {
  const { item, payer, connection, timing, proposalId, note } = payback;
  const transactionId = randomUUID();
  const reference = channelReferenceOf('payout', transactionId);
  const { msisdn: to } = payer;
  const { amount, currency } = item;
  const mac = macOfParty(db, { id: transactionId, of: null, connection, to, amount, currency });
  const { rows } = await db.query(
    `SELECT open_payback($1, $2, $3, $4, $5, $6, $7, $8, $9 * interval '1 millisecond') AS opened`,
    [
      transactionId,
      item.id,
      reference,
      payer.msisdn,
      payer.fullName,
      connection,
      mac,
      timing,
      handOverWithinMs(timing),
    ],
  );
  if (!rows[0].opened) return null;
  const { channel, id } = item;
  const subject: PaybackSubject = { transactionId, item: id, currency, channel, reference, value: amount };
  return (await takeForPayback(db, subject, { proposalId, note })) ? transactionId : null;
}
