import type { Queryable } from '../db/pool.ts';
import { noteArrived } from './sends.ts';

export type EnquiryNote = {
  transactionId: string;
  /** what the channel said: it has it (`accepted`), it never saw it, or nothing that can be used */
  said: 'accepted' | 'not_found' | 'unclear';
  /** Temporal's clock, ISO 8601: such times are compared with themselves only */
  at: string;
  nextAt: string;
};

const ARRIVED = `(
  EXISTS (SELECT 1 FROM sends s WHERE s.transaction_id = $1 AND s.outcome IN ('accepted', 'succeeded'))
  OR EXISTS (SELECT 1 FROM attention a WHERE a.transaction_id = $1 AND a.reason = 'wrong_amount'))`;

/** Whether the channel once had the transaction, or moved another amount for it. */
export async function hasArrived(db: Queryable, transactionId: string): Promise<boolean> {
  const { rows } = await db.query(`SELECT ${ARRIVED} AS arrived`, [transactionId]);
  return rows[0].arrived;
}

/**
 * Notes an enquiry. Returns since when the channel has said "not found" without a break; null when that proves nothing:
 * a channel that once had the transaction, or moved another amount for it, has lost its memory, not our request.
 */
export async function noteEnquiry(db: Queryable, note: EnquiryNote): Promise<string | null> {
  if (note.said === 'accepted') await noteArrived(db, note.transactionId);
  const { rows } = await db.query(
    `UPDATE transactions SET next_enquiry_at = $4, due_at = $4, not_found_since = CASE
       WHEN $2 AND NOT ${ARRIVED} THEN coalesce(not_found_since, $3) END
     WHERE id = $1 AND (status = 'pending' OR EXISTS (
       SELECT 1 FROM decisions d WHERE d.transaction_id = $1 AND d.applied_at IS NOT NULL AND d.answer IS NULL))
     RETURNING not_found_since`,
    [note.transactionId, note.said === 'not_found', note.at, note.nextAt],
  );
  return rows[0]?.not_found_since ?? null;
}
