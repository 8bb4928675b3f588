import type { Queryable } from '../db/pool.ts';

export type EnquiryNote = {
  transactionId: string;
  /** what the channel said: it has it (`accepted`), it never saw it, or nothing that can be used */
  said: 'accepted' | 'not_found' | 'unclear';
  /** Temporal's clock, ISO 8601: such times are compared with themselves only */
  at: string;
  nextAt: string;
};

/**
 * Notes an enquiry. Returns since when the channel has said "not found" without a break; null when that proves nothing:
 * a channel that once had the transaction, or moved another amount for it, has lost its memory, not our request.
 */
export async function noteEnquiry(db: Queryable, note: EnquiryNote): Promise<string | null> {
  if (note.said === 'accepted') {
    await db.query(
      `UPDATE sends SET outcome = 'accepted' WHERE transaction_id = $1 AND (outcome IS NULL OR outcome = 'unknown')`,
      [note.transactionId],
    );
  }
  const { rows } = await db.query(
    `UPDATE transactions SET next_enquiry_at = $4, not_found_since = CASE
       WHEN $2 AND NOT EXISTS (SELECT 1 FROM sends s
                               WHERE s.transaction_id = $1 AND s.outcome IN ('accepted', 'succeeded'))
         AND NOT EXISTS (SELECT 1 FROM attention a WHERE a.transaction_id = $1 AND a.reason = 'wrong_amount')
       THEN coalesce(not_found_since, $3) END
     WHERE id = $1 AND status = 'pending' RETURNING not_found_since`,
    [note.transactionId, note.said === 'not_found', note.at, note.nextAt],
  );
  return rows[0]?.not_found_since ?? null;
}
