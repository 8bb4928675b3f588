import type { Queryable } from '../db/pool.ts';

/** Why a person has to look; each has a page under docs/operations. */
export type AttentionReason =
  | 'unknown_outcome'
  | 'late_success'
  | 'wrong_amount'
  | 'conflicting_failure'
  | 'returned'
  | 'broken';

/** Opens an entry of the attention list; the same reason twice for one transaction is one entry. */
export async function raiseAttention(
  db: Queryable,
  entry: { transactionId: string; reason: AttentionReason; detail: string },
): Promise<void> {
  await db.query(
    `INSERT INTO attention (transaction_id, reason, detail) VALUES ($1, $2, $3)
     ON CONFLICT (transaction_id, reason) WHERE resolved_at IS NULL DO NOTHING`,
    [entry.transactionId, entry.reason, entry.detail],
  );
}

export type AttentionEntry = {
  transactionId: string;
  reason: AttentionReason;
  detail: string;
  raisedAt: string;
  status: string;
  type: string;
};

/** The open entries, oldest first. */
export async function listAttention(db: Queryable, limit = 200): Promise<AttentionEntry[]> {
  const { rows } = await db.query(
    `SELECT a.transaction_id, a.reason, a.detail, a.raised_at, t.status, t.type
     FROM attention a JOIN transactions t ON t.id = a.transaction_id
     WHERE a.resolved_at IS NULL ORDER BY a.raised_at LIMIT $1`,
    [limit],
  );
  return rows.map((row) => ({
    transactionId: row.transaction_id,
    reason: row.reason,
    detail: row.detail,
    raisedAt: row.raised_at,
    status: row.status,
    type: row.type,
  }));
}

/** Closes entries: those of the given reasons (the question answered itself), or all (a person dealt with it). */
export async function resolveAttention(
  db: Queryable,
  transactionId: string,
  reasons?: AttentionReason[],
): Promise<number> {
  const { rowCount } = await db.query(
    `UPDATE attention SET resolved_at = now()
     WHERE transaction_id = $1 AND resolved_at IS NULL AND ($2::text[] IS NULL OR reason = ANY($2))`,
    [transactionId, reasons ?? null],
  );
  return rowCount ?? 0;
}
