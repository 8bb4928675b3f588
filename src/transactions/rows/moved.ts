import type { Queryable } from '../../platform/db/pool.ts';

/**
 * One view of what moved of a transaction beside what its own row says: items in suspense, and lines of statements that wait.
 * What may end it, or give money back, asks here (decisions.md §23). Amounts are minor units, + to us.
 */

/** References of ours, as a statement may give them; `t` is the alias of the transaction. */
const OURS =
  `array_remove(ARRAY[t.reference, t.id::text, replace(t.id::text, '-', ''), (SELECT b.control_number FROM bills b WHERE b.transaction_id = t.id)], NULL)` as const;

/** A line `l` that waits, found by the index of those alone, and says that money moved. */
const WAITS =
  `l.waits AND NOT l.is_void AND l.kind NOT IN ('fee', 'tax') AND l.currency = t.currency` as const;

/** Money of `t` that a statement shows and that is not booked as `t`: lines that wait, and items of lines. */
const showing = <const Which extends string>(which: Which) =>
  `(SELECT shown.id FROM (
      SELECT 'ln_' || l.id AS id, l.amount FROM statement_lines l
      WHERE ${WAITS} AND (l.reference = ANY(${OURS}) OR l.names && ${OURS}
        OR t.status = 'pending' AND l.receipt = t.channel_reference AND abs(l.amount) = t.amount)
      UNION ALL SELECT i.id, i.amount FROM suspense_items i JOIN transfers told ON told.id = i.transfer_id LEFT JOIN transfers went ON went.id = i.left_by
      WHERE i.transaction_id = t.id AND told.dedupe_key LIKE 'line:%' AND ${which}) shown
    WHERE sign(shown.amount) = CASE WHEN t.type IN ('payout', 'payback') THEN -1 ELSE 1 END ORDER BY shown.id LIMIT 1)` as const;

/** The number of a line that waits, or of an open item, which shows that the money of `t` moved its way; null: none does. */
export const SHOWN = showing('i.is_open');

/** Whether a statement says that the money of `t` moved, wherever it is booked since. */
export const HAS_MOVED =
  `(${showing("coalesce(went.kind, '') NOT IN ('void', 'suspense_return')")} IS NOT NULL
  OR EXISTS (SELECT FROM movements m JOIN entries e ON e.movement_id = m.id JOIN line_matches x ON x.entry_id = e.id AND NOT x.is_freed
    WHERE m.transaction_id = t.id AND m.kind = 'itself'))` as const;

export const isLine = (shown: string): boolean => shown.startsWith('ln_');

/** `SHOWN` of one transaction. */
export async function shownBy(db: Queryable, transactionId: string): Promise<string | null> {
  const { rows } = await db.query(`SELECT ${SHOWN} AS shown FROM transactions t WHERE t.id = $1`, [
    transactionId,
  ]);
  return rows[0]?.shown ?? null;
}
