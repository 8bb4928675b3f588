import { BrokenInvariant } from '../../domain/errors.ts';
import { type ChannelTransaction, isBilled, kindOf, paidBy } from '../../domain/transaction.ts';
import { isTakenForPayback } from '../../ledger/payable.ts';
import { subjectOfItem } from '../../ledger/suspense.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { update } from '../../platform/db/write.ts';
import { isDecided } from '../care/decisions.ts';
import { requireOpenFence, TransactionMissing } from '../care/fence.ts';
import { oppositeAgainst } from '../odd-money/opposites.ts';
import { exceedsPayment } from '../odd-money/refunds.ts';
import { keepClaim } from '../rows/bill-store.ts';
import { isProven, PARTY_OF_TRANSACTION, type StoredParty } from '../rows/row-mac.ts';
import { lockTransaction } from '../rows/store.ts';

export type SendOutcome = 'accepted' | 'succeeded' | 'failed' | 'not_sent' | 'not_found' | 'unknown';

/** The caller holds the transaction's row lock (traffic/gate.ts). */
type MayLeave = (
  db: Queryable,
  transaction: ChannelTransaction,
) => Promise<{ open: true; probe: boolean } | { open: false }>;

/**
 * Why a send is not granted. `closed`: the channel is down or closed; nothing was recorded. `recorded`: this
 * send is recorded already, an earlier one is unclear, or a notification is not applied yet. `final`: the
 * transaction has ended, or a decision will end it.
 */
export type SendPermit =
  | { granted: true; transaction: ChannelTransaction; probe: boolean }
  | { granted: false; why: 'recorded' | 'final' | 'closed' };

/**
 * Records a send before its first byte leaves, under the row lock that cancellation also takes, so the first
 * of the two wins. Each number is recorded only once. A second send needs proof that every earlier one did
 * nothing (`not_sent`, or `not_found` for the channel's settle time).
 */
export function recordSend(
  database: Database,
  send: { transactionId: string; number: number },
  mayLeave: MayLeave = async () => ({ open: true, probe: false }),
): Promise<SendPermit> {
  return inTransaction(database, async (db) => {
    const transaction = await lockTransaction(db, send.transactionId);
    if (!transaction) throw new TransactionMissing(send.transactionId);
    await requireOpenFence(db);
    if (isBilled(transaction))
      throw new BrokenInvariant(`${transaction.id} is paid by its customer, never sent`);
    if (transaction.status !== 'pending') return { granted: false, why: 'final' };
    await requireOwed(db, transaction);
    const passage = await mayLeave(db, transaction);
    if (!passage.open) return { granted: false, why: 'closed' };
    const { timing } = transaction;
    const { rows } = await db.query(
      prepared(`WITH sent AS (
       INSERT INTO sends (transaction_id, number)
       SELECT $1, $2 WHERE NOT EXISTS (
         SELECT 1 FROM sends WHERE transaction_id = $1
         AND (number >= $2 OR outcome IS NULL OR outcome NOT IN ('not_sent', 'not_found')))
       -- A notification that is not applied yet may end it.
       AND NOT EXISTS (SELECT 1 FROM notifications WHERE transaction_id = $1 AND state = 'unapplied')
       -- Whatever people decided rests on the sends that they looked at.
       AND NOT EXISTS (SELECT 1 FROM decisions WHERE transaction_id = $1)
       ON CONFLICT DO NOTHING RETURNING 1)
       UPDATE transactions t
       SET handed_over_at = now(), not_found_since = NULL, next_enquiry_at = NULL, waits_until = NULL,
         due_at = now() + $4 * interval '1 millisecond', overdue_at = now() + $5 * interval '1 millisecond',
         prompt_expires_at = CASE WHEN $3::int > 0 THEN now() + $3 * interval '1 millisecond' END
       FROM sent WHERE id = $1 RETURNING ${PARTY_OF_TRANSACTION} AS party`),
      [
        send.transactionId,
        send.number,
        kindOf(transaction).hasPrompt ? timing.promptMs : 0,
        timing.firstEnquiryMs,
        timing.attentionAfterMs,
      ],
    );
    const [sent] = rows;
    if (!sent) return { granted: false, why: (await isDecided(db, transaction.id)) ? 'final' : 'recorded' };
    if (!isProven(db, sent.party as StoredParty))
      throw new BrokenInvariant(`nothing of ours wrote down whom ${transaction.id} is with: nothing is sent`);
    const pays = paidBy(transaction);
    if (pays !== null) await keepClaim(db, { id: transaction.id, pays, promptMs: timing.promptMs });
    return { granted: true, transaction, probe: passage.probe };
  });
}

/** Throws if the payer has the money already, or if no transfer proves two operators' agreement. */
async function requireOwed(db: Queryable, transaction: ChannelTransaction): Promise<void> {
  if ('refundOf' in transaction && (await exceedsPayment(db, transaction)))
    throw new Error(`the payer of ${transaction.refundOf} has the money of this refund already`);
  if (!('item' in transaction)) return;
  const { id: transactionId, item, amount } = transaction;
  if (!(await isTakenForPayback(db, { transactionId, item })))
    throw new BrokenInvariant(
      `the payback ${transactionId} was written down without its money: nobody agreed on it`,
    );
  const { transactionId: of } = await subjectOfItem(db, item);
  const opposite = await oppositeAgainst(db, { id: item, transactionId: of, amount }, { to: 'payer' });
  if (opposite !== null) throw new Error(`${opposite} says that its payer has the money already`);
}

/**
 * Records a send's outcome. Any outcome replaces `unknown`; `accepted` or `succeeded` replaces `not_found`;
 * otherwise the first stays, and false is returned: this answer says nothing about a later send.
 */
export async function recordSendOutcome(
  db: Queryable,
  send: { transactionId: string; number: number; outcome: SendOutcome; channelReference?: string | null },
): Promise<boolean> {
  const { rowCount } = await db.query(
    prepared(
      `UPDATE sends SET outcome = $3 WHERE transaction_id = $1 AND number = $2
       AND (outcome IS NULL OR outcome = 'unknown'
         OR outcome = 'not_found' AND $3 IN ('accepted', 'succeeded'))`,
    ),
    [send.transactionId, send.number, send.outcome],
  );
  if (send.outcome === 'unknown') {
    await db.query(
      prepared(`UPDATE transactions
       SET next_enquiry_at = now() + (timing->>'unclearEnquiryMs')::int * interval '1 millisecond'
       WHERE id = $1 AND status = 'pending'`),
      [send.transactionId],
    );
  }
  if (send.channelReference) {
    await update(
      db,
      'transactions',
      { channel_reference: send.channelReference },
      { id: send.transactionId, channel_reference: null },
    );
  }
  return rowCount === 1;
}

export type SendHistory = {
  /** highest send number; 0 if nothing was sent */
  last: number;
  /** sends that may have left us: all except `not_sent` */
  sends: number;
  /** true if any send may have reached the channel */
  mayHaveArrived: boolean;
  /** true if the channel accepted the last send and has not said its outcome */
  answered: boolean;
  /** accepted before commits were lost: it may have been sent, even if no send is recorded */
  restored: boolean;
};

export async function sendHistory(db: Queryable, transactionId: string): Promise<SendHistory> {
  const { rows } = await db.query(
    `SELECT coalesce(max(number), 0)::int AS last,
       count(*) FILTER (WHERE outcome IS DISTINCT FROM 'not_sent')::int AS sends,
       coalesce(bool_or(outcome IS NULL OR outcome NOT IN ('not_sent', 'not_found')),
         false) AS "mayHaveArrived",
       coalesce((array_agg(outcome ORDER BY number DESC))[1] = 'accepted', false) AS answered,
       coalesce((SELECT coalesce(t.created_at <= f.lifted_at, false) FROM transactions t, fence f
         WHERE t.id = $1), true) AS restored
     FROM sends WHERE transaction_id = $1`,
    [transactionId],
  );
  const [row] = rows;
  return { ...row, mayHaveArrived: row.mayHaveArrived || row.restored };
}

/** Notes that the channel knows the transaction: any "not found" or refusal, even earlier, proves nothing. */
export async function noteArrived(db: Queryable, transactionId: string): Promise<void> {
  await db.query(
    prepared(`UPDATE sends SET outcome = 'accepted'
     WHERE transaction_id = $1 AND (outcome IS NULL OR outcome IN ('unknown', 'not_found', 'not_sent'))`),
    [transactionId],
  );
}

/** Call it when "not found" lasted for the settle time: sends up to this number count as never arrived. */
export async function closeSendsAsNotFound(
  db: Queryable,
  sends: { transactionId: string; upTo: number },
): Promise<void> {
  await db.query(
    `UPDATE sends SET outcome = 'not_found'
     WHERE transaction_id = $1 AND number <= $2 AND (outcome IS NULL OR outcome = 'unknown')`,
    [sends.transactionId, sends.upTo],
  );
}
