import type { Direction } from '../../domain/kinds.ts';
import { type Minor, minor } from '../../domain/money.ts';
import type { Queryable } from '../../platform/db/pool.ts';

/**
 * Money that moved for a transaction but is not in its row: suspense items and waiting statement lines. Check
 * here before ending the transaction or returning money. Amounts are minor units;
 * positive: to us.
 */

/** Our references that a statement may show; `t` is the alias of the transaction. */
const OURS = `array_remove(ARRAY[t.reference, t.id::text, replace(t.id::text, '-', ''),
     (SELECT b.control_number FROM bills b WHERE b.transaction_id = t.id)], NULL)` as const;

/** Line `l` waits and says that money moved. The condition matches the index of waiting lines. */
const WAITS =
  `l.waits AND NOT l.is_void AND l.kind NOT IN ('fee', 'tax') AND l.currency = t.currency` as const;

/** SQL: a waiting line, or an item from a line, that shows `t`'s money and is not booked as `t`'s. */
const showing = <const Which extends string>(which: Which) =>
  `(SELECT shown.id FROM (
      SELECT 'ln_' || l.id AS id, l.amount FROM statement_lines l
      WHERE ${WAITS} AND (l.reference = ANY(${OURS}) OR l.names && ${OURS}
        OR t.status = 'pending' AND l.receipt = t.channel_reference AND abs(l.amount) = t.amount)
      UNION ALL SELECT i.id, i.amount FROM suspense_items i JOIN transfers told ON told.id = i.transfer_id
      LEFT JOIN transfers went ON went.id = i.left_by
      WHERE i.transaction_id = t.id AND told.line_id IS NOT NULL AND ${which}) shown
    WHERE sign(shown.amount) = CASE WHEN t.type IN ('payout', 'payback') THEN -1 ELSE 1 END
    ORDER BY shown.id LIMIT 1)` as const;

/** SQL: a waiting line or open item that names `t` and moves money in `t`'s direction, or null. */
export const SHOWN = showing('i.is_open');

/** SQL: true if a statement shows that `t`'s money moved, wherever it is booked now. */
export const HAS_MOVED =
  `(${showing("coalesce(went.kind, '') NOT IN ('void', 'suspense_return')")} IS NOT NULL
  OR EXISTS (SELECT FROM movements m JOIN entries e ON e.movement_id = m.id
    JOIN line_matches x ON x.entry_id = e.id AND NOT x.is_freed
    JOIN statement_lines l ON l.id = x.line_id AND NOT l.is_void
    WHERE m.transaction_id = t.id AND m.kind = 'itself'))` as const;

export const isLine = (shown: string): boolean => shown.startsWith('ln_');

export async function shownBy(db: Queryable, transactionId: string): Promise<string | null> {
  const { rows } = await db.query(`SELECT ${SHOWN} AS shown FROM transactions t WHERE t.id = $1`, [
    transactionId,
  ]);
  return rows[0]?.shown ?? null;
}

/** Finds the waiting line (`ln_…`) that shows this typed receipt and amount (positive: incoming). */
export async function waitingLineOf(
  db: Queryable,
  { receipt, amount, currency }: { receipt: string; amount: Minor; currency: string },
): Promise<string | null> {
  const { rows } = await db.query(
    `SELECT 'ln_' || id AS line FROM statement_lines
     WHERE waits AND NOT is_void AND plain_reference(receipt) = plain_reference($1) AND amount = $2
       AND currency = $3 LIMIT 1`,
    [receipt, amount, currency],
  );
  return rows[0]?.line ?? null;
}

type Shown = {
  /** null: nobody's, which no line shows; so is an unreadable amount */
  transactionId: string | null;
  direction: Direction;
  amount: Minor | null;
  currency: string;
  receipt: string | null;
  isNumberedAnew: boolean;
};

/**
 * Finds the suspense item of the difference, if a statement line shows the movement with this amount. Without
 * the same receipt (`isNumberedAnew`: a line may have another one), the line shows only the first report.
 */
export async function shownAs(
  db: Queryable,
  { transactionId, direction, amount, currency, receipt, isNumberedAnew }: Shown,
): Promise<{ id: string; item: string } | null> {
  const { rows } = await db.query(
    `SELECT f.movement_id AS id, i.id AS item FROM movements m JOIN entries e ON e.movement_id = m.id
     JOIN line_matches x ON x.entry_id = e.id AND x.pass = 'differs' AND NOT x.is_freed
     JOIN statement_lines l ON l.id = x.line_id
     JOIN line_matches d ON d.line_id = l.id AND d.entry_id <> e.id AND NOT d.is_freed
     JOIN entries f ON f.id = d.entry_id
     JOIN suspense_items i ON i.transfer_id = f.transfer_id
     WHERE m.transaction_id = $1 AND l.amount = $2 AND l.currency = $3 AND NOT i.is_void
       AND ($4::text IS NULL OR plain_name(l.receipt) = plain_name($4) OR (l.receipt IS NULL OR $5)
         AND NOT EXISTS (SELECT FROM movement_names n WHERE n.movement_id = f.movement_id
           AND n.line_id IS NULL AND n.freed_at IS NULL AND n.plain <> plain_name($4)))
     LIMIT 1 FOR NO KEY UPDATE OF i /* never null: id */`,
    [transactionId, amount && direction === 'payout' ? -amount : amount, currency, receipt, isNumberedAnew],
  );
  return rows[0] ?? null;
}

/** SQL: an item that left this way became its transaction's money or was voided with its statement. */
const NO_ITEM = "('void', 'collection', 'payout', 'payback_paid', 'reversal')" as const;

/** SQL: minor units that left for payout `t` although it failed or was paid already, and are not back. */
export const MOVED_BESIDE = `(SELECT greatest(0, -coalesce(sum(i.amount), 0))
    FROM suspense_items i LEFT JOIN transfers went ON went.id = i.left_by
    WHERE i.transaction_id = t.id AND i.currency = t.currency AND coalesce(went.kind, '') <> 'suspense_return'
      AND coalesce(went.kind, '') NOT IN ${NO_ITEM})` as const;

export const PAID_LATE = `(t.type = 'payout' AND (${MOVED_BESIDE} > 0
  OR EXISTS (SELECT FROM statement_lines l
    WHERE ${WAITS} AND l.amount < 0
      AND (l.reference = t.reference OR t.reference = ANY(l.names)))))` as const;

export type Moved = {
  /** `si_…` or `ln_…` */
  id: string;
  transactionId: string;
  amount: Minor;
  /** number of a bill's payment; null: all, or unclear */
  part: number | null;
  movement: string | null;
  /** the movement of this transaction that it gives back */
  of: string | null;
  /** true if `of` (if null: `movement`) is booked as the transaction's */
  isBooked: boolean;
  /** true if a statement shows it, or operators found it missing there */
  isShown: boolean;
  /** `isReturn`: it returns an earlier movement. `isAgain`: a withdrawn movement happened after all */
  isReturn: boolean;
  isAgain: boolean;
  /** kind of the transfer by which it left suspense, and the merchant who got it */
  left: string | null;
  accountId: string | null;
  /** ISO 8601 UTC */
  at: string;
};

/** Includes the pushes on a page that paid these transactions. Oldest first. */
export async function movedOf(db: Queryable, transactionIds: readonly string[]): Promise<Moved[]> {
  const { rows } = await db.query(MOVED, [transactionIds]);
  return rows.map((one) => ({ ...one, amount: minor(one.amount) }));
}

/**
 * `its`: the transactions and their pushes. `known`: their movements with all names, including those that a
 * statement line showed first. A reversal shown before its movement is an item without a transaction; its
 * line names the movement.
 */
const MOVED = `
  WITH its AS MATERIALIZED (
    SELECT t.*, NULL::smallint AS number, t.id AS subject FROM transactions t WHERE t.id = ANY($1::uuid[])
    UNION ALL
    SELECT t.*, r.number, r.transaction_id FROM bill_receipts r JOIN transactions t ON t.id = r.prompt_id
    WHERE r.transaction_id = ANY($1)
    UNION ALL
    SELECT t.*, r.number, r.transaction_id
    FROM bill_receipts r JOIN transactions paid ON paid.id = r.transaction_id
    JOIN transactions t ON t.account_id = paid.account_id AND t.channel_reference = r.receipt AND t.is_receipt
      AND t.id IS DISTINCT FROM r.prompt_id
      AND t.pays IN (paid.id, paid.number_id) AND receipt_space(t.connection) = r.space
    WHERE r.transaction_id = ANY($1)),
  known AS MATERIALIZED (
    SELECT m.id, m.space, t.id AS its, t.subject, names.plain AS names,
      coalesce(m.part, t.number, (SELECT r.number FROM bill_receipts r
        WHERE r.transaction_id = t.id AND r.space = m.space AND plain_name(r.receipt) = ANY(names.plain)
        LIMIT 1)) AS part,
      NOT EXISTS (SELECT FROM entries e JOIN suspense_items i ON i.transfer_id = e.transfer_id
        LEFT JOIN transfers went ON went.id = i.left_by
        WHERE e.movement_id = m.id AND NOT e.takes_back
          AND coalesce(went.kind, '') NOT IN ${NO_ITEM}) AS "isBooked"
    FROM its t JOIN LATERAL (
      SELECT id FROM movements WHERE transaction_id = t.id
      UNION SELECT e.movement_id FROM transfers went JOIN suspense_items i ON i.left_by = went.id
        JOIN entries e ON e.transfer_id = i.transfer_id
        WHERE went.transaction_id = t.id AND went.kind IN ${NO_ITEM}
          AND e.movement_id IS NOT NULL) own ON true
    JOIN movements m ON m.id = own.id
    CROSS JOIN LATERAL (SELECT ARRAY(SELECT n.plain FROM movement_names n
      WHERE n.movement_id = m.id AND n.freed_at IS NULL) AS plain) names)
  SELECT i.id, t.subject AS "transactionId", i.amount, coalesce(k.part, own.part, t.number) AS part,
  e.movement_id AS movement, k.id AS of,
    coalesce(k."isBooked", own."isBooked", false) AS "isBooked", told.line_id IS NOT NULL
      OR e.undoes IS NOT NULL AND told.proposal_id IS NOT NULL AS "isShown",
    m.kind = 'reversal' AND m.told_by = 'channel' AND NOT e.takes_back AS "isReturn", e.undoes IS NOT NULL
    AND NOT e.takes_back AS "isAgain", went.kind AS left,
    (SELECT a.account_id FROM entries x JOIN ledger_accounts a ON a.id = x.ledger_account_id
      WHERE x.transfer_id = went.id AND a.kind = 'available') AS "accountId", i.created_at AS at
  FROM its t JOIN LATERAL (
    SELECT id FROM suspense_items WHERE transaction_id = t.id
    UNION SELECT s.id FROM (SELECT names, space FROM known WHERE its = t.id
        UNION ALL SELECT plain_names(${OURS}), NULL) called
      JOIN statement_lines l ON plain_names(l.names) && called.names AND l.kind IN ('reversal', 'return')
        AND NOT l.is_void
      JOIN line_matches x ON x.line_id = l.id AND NOT x.is_freed JOIN entries e ON e.id = x.entry_id
      JOIN movements m ON m.id = e.movement_id AND m.space = coalesce(called.space, m.space)
      JOIN suspense_items s ON s.transfer_id = e.transfer_id
      WHERE s.transaction_id IS NULL) shown ON true
  JOIN suspense_items i ON i.id = shown.id AND i.currency = t.currency
  JOIN transfers told ON told.id = i.transfer_id JOIN entries e ON e.transfer_id = told.id
  JOIN movements m ON m.id = e.movement_id
  LEFT JOIN transfers went ON went.id = i.left_by LEFT JOIN known own ON own.id = e.movement_id
  LEFT JOIN LATERAL (
    SELECT o.* FROM known o WHERE o.id <> e.movement_id AND (o.id = m.gives_back
      OR EXISTS (SELECT FROM line_matches x JOIN statement_lines l ON l.id = x.line_id
        WHERE x.entry_id = e.id AND o.names && plain_names(l.names || l.receipt)))
    ORDER BY o.id LIMIT 1) k ON true
  WHERE coalesce(went.kind, '') NOT IN ${NO_ITEM}
  UNION ALL
  SELECT 'ln_' || l.id, t.subject, l.amount, coalesce(k.part, t.number), NULL, k.id,
  coalesce(k."isBooked", false), true, false, false, NULL, NULL, l.at
  FROM its t JOIN statement_lines l ON ${WAITS}
  LEFT JOIN LATERAL (
    SELECT o.* FROM known o WHERE o.subject = t.subject AND o.names && plain_names(l.names || l.receipt)
    ORDER BY o.id LIMIT 1) k ON true
  WHERE l.reference = ANY(${OURS}) OR l.names && ${OURS}
    OR k.id IS NOT NULL AND NOT EXISTS (SELECT FROM transactions o WHERE o.reference = l.reference)
  ORDER BY at, id
  /* never null: id, transactionId, amount, isBooked, isShown, isReturn, isAgain, at */` as const;
