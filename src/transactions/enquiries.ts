import type { Queryable } from '../db/pool.ts';

/**
 * Notes an enquiry: since when the channel has said "not found" without a break, and when it is asked next.
 * Times are Temporal's clock (ISO 8601), so that they are compared with themselves only. Returns that "since".
 */
export async function noteEnquiry(
  db: Queryable,
  enquiry: { transactionId: string; notFound: boolean; at: string; nextAt: string },
): Promise<string | null> {
  const { rows } = await db.query(
    `UPDATE transactions SET not_found_since = CASE WHEN $2 THEN coalesce(not_found_since, $3) END, next_enquiry_at = $4
     WHERE id = $1 AND status = 'pending' RETURNING not_found_since`,
    [enquiry.transactionId, enquiry.notFound, enquiry.at, enquiry.nextAt],
  );
  return rows[0]?.not_found_since ?? null;
}
