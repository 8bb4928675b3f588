import type { Minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { OPENED, PARTS, SIDES, type Sides, type Unexplained, UUID, valuesOf } from './passes.ts';
import type { LineKind } from './statement.ts';

/** Facts about a line that no movement of ours explains. */
export type OpenLine = {
  id: number;
  kind: LineKind | 'opening';
  receipt: string | null;
  alsoKnownAs: readonly string[];
  amount: Minor;
  currency: string;
  at: string;
  day: string;
  finding: 'twice' | null;
  /** statement account of the sweep's other half */
  sweepTo: string | null;
  /**
   * true if its receipt is another movement's, an item's or a bill payment's, or looks like a name of ours
   */
  isTaken: boolean;
  /** probable transaction, by its reference or the movement that it gives back */
  transactionId: string | null;
  /** pending transaction or live bill that it concerns */
  pendingId: string | null;
  isBill: boolean;
  /** payouts that it names one by one, pending or not */
  parts: string[];
  /** true during the grace period (for these or a notification), or until operators set its item's amount */
  waits: boolean;
  /** true if it may be explained now: the grace period is over, or its receipt is a name of ours */
  isDue: boolean;
};

/** Returns waiting and new lines. Waiting ones have an index, so this is cheap enough for every minute. */
export async function unexplained(
  db: Queryable,
  { account, statement = null }: { account: string; statement?: string | null },
): Promise<Unexplained> {
  const { rows } = await db.query(
    `SELECT id, min(at) OVER () AS since FROM statement_lines
     WHERE (account = $1 AND waits OR statement_id = $2) AND status = 'done' AND amount <> 0
       AND finding IS DISTINCT FROM 'changed' AND NOT is_void /* never null: since */`,
    [account, statement],
  );
  return { ids: rows.map(({ id }) => id), since: rows[0]?.since ?? null };
}

/** Marks exactly these lines as waiting, so they are read again at any age. */
export async function noteWaiting(db: Queryable, account: string, lines: readonly number[]): Promise<void> {
  await db.query(
    `UPDATE statement_lines SET waits = NOT waits
     WHERE account = $1 AND waits AND id <> ALL($2::bigint[]) OR id = ANY($2::bigint[]) AND NOT waits`,
    [account, lines],
  );
}

/** Returns lines in the order of their chain. */
export async function openLinesOf(db: Queryable, sides: Sides & { connection: string }): Promise<OpenLine[]> {
  const { rows } = await db.query(OPEN_LINES, [...valuesOf(sides), sides.connection, sides.graceMs]);
  return rows.map(({ isInGrace, isUnnamed, ...line }) => ({
    ...(line as unknown as Omit<OpenLine, 'waits' | 'isDue'>),
    waits: isInGrace || isUnnamed,
    isDue: !isUnnamed && (!isInGrace || line.isTaken),
  }));
}

/**
 * Names are looked up one by one: new rows have no statistics, and to read all lines of the account for each
 * of 5,000 lines took 20 s.
 */
const OPEN_LINES = `
  WITH ${SIDES}, ${PARTS},
  about AS (
    SELECT l.id, coalesce(x.id, b.transaction_id, p.id) AS transaction_id FROM line l
    LEFT JOIN transactions x
      ON x.reference = l.reference OR x.id = CASE WHEN l.reference ~ ${UUID} THEN l.reference::uuid END
    LEFT JOIN bills b ON b.control_number = l.reference
    LEFT JOIN (SELECT min(id::text)::uuid AS id, channel_reference FROM transactions
      WHERE status = 'pending' AND channel_reference IS NOT NULL GROUP BY channel_reference
      HAVING count(*) = 1) p ON p.channel_reference = l.receipt)
  SELECT l.id, l.kind, l.receipt,
  l.also_known_as AS "alsoKnownAs", l.amount, l.currency, l.at, l.day::text AS day, l.finding,
  l.sweep_to AS "sweepTo",
    l.receipt IS NOT NULL AND (l.receipt ~ '^(line|opening):'
      OR row_number() OVER (PARTITION BY plain_name(l.receipt) ORDER BY l.position) > 1
      OR EXISTS (SELECT FROM suspense_items i
        WHERE i.space = receipt_space($6) AND i.receipt = l.receipt AND NOT i.is_void)
      OR EXISTS (SELECT FROM movement_names n
        WHERE n.space = receipt_space($6) AND n.direction = CASE WHEN l.amount > 0 THEN 'in' ELSE 'out' END
        AND n.plain = plain_name(l.receipt) AND n.is_receipt AND n.freed_at IS NULL)
      OR EXISTS (SELECT FROM bill_receipts r
        WHERE r.space = receipt_space($6) AND plain_name(r.receipt) = plain_name(l.receipt)
          AND r.outcome <> 'refused')) AS "isTaken",
    coalesce(CASE WHEN NOT EXISTS (SELECT FROM movements c JOIN entries e ON e.movement_id = c.id
      WHERE c.transaction_id = t.id AND sign(c.amount) = sign(l.amount)
      AND coalesce(c.at, e.at) < ${OPENED}
      AND NOT EXISTS (SELECT FROM line_matches x WHERE x.entry_id = e.id AND NOT x.is_freed)) THEN t.id END,
      (SELECT tr.transaction_id FROM unnest(l.names) AS called
      JOIN statement_lines s ON s.receipt = called AND s.account = l.account AND NOT s.is_void
      JOIN line_matches m ON m.line_id = s.id
      JOIN entries e ON e.id = m.entry_id JOIN transfers tr ON tr.id = e.transfer_id
      WHERE tr.transaction_id IS NOT NULL ORDER BY s.id LIMIT 1)) AS "transactionId",
    CASE WHEN t.status = 'pending' THEN t.id END AS "pendingId", t.connection IS NULL AS "isBill",
    ARRAY(SELECT p.transaction_id FROM parts p WHERE p.line_id = l.id) AS parts,
    (t.status IS NOT DISTINCT FROM 'pending'
      OR EXISTS (SELECT FROM parts p WHERE p.line_id = l.id AND p.status = 'pending') OR l.amount > 0
      AND EXISTS (SELECT FROM numbers n WHERE n.control_number = l.reference AND n.status = 'open'))
      AND l.at + $7 * interval '1 millisecond' > now() AS "isInGrace",
    EXISTS (SELECT FROM suspense_items i
      WHERE i.id IN (SELECT items_called(receipt_space($6), l.receipt)) AND i.amount = 0
        AND i.named_by IS NULL) AS "isUnnamed"
  FROM line l JOIN about a ON a.id = l.id LEFT JOIN transactions t ON t.id = a.transaction_id
  ORDER BY l.position /* never null: day, isTaken, isBill, parts, isInGrace, isUnnamed */` as const;

/** Sums the charges that rules booked on these days, in minor units. */
export async function chargedOn(
  db: Queryable,
  account: string,
  days: readonly string[],
): Promise<Map<string, Minor>> {
  const { rows } = await db.query(
    `SELECT l.day::text AS day, sum(e.amount)::bigint AS amount FROM statement_lines l
     JOIN line_matches m ON m.line_id = l.id AND m.pass IN ('charge', 'net')
     JOIN entries e ON e.id = m.entry_id
     JOIN transfers t ON t.id = e.transfer_id AND t.kind = 'charge'
     WHERE l.account = $1 AND NOT l.is_void AND l.day = ANY($2::text[]::date[])
     GROUP BY l.day /* never null: day, amount */`,
    [account, days],
  );
  return new Map(rows.map(({ day, amount }) => [day, amount as Minor]));
}
