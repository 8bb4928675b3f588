import type { Queryable } from '../db/pool.ts';
import type { Minor } from '../domain/money.ts';
import { SIDES, type Sides } from './passes.ts';
import type { LineKind } from './statement.ts';

/** A line that no movement of ours explains, with what is known about it. */
export type OpenLine = {
  id: number;
  kind: LineKind | 'opening';
  receipt: string | null;
  amount: Minor;
  currency: string;
  at: string;
  day: string;
  finding: 'twice' | null;
  /** the account of its other half */
  sweepTo: string | null;
  /** 16 digits of its key */
  digits: string;
  /** it is so manieth of its receipt and kind */
  nth: number;
  /** whether its receipt is the name of another item, or of a payment of a bill */
  isTaken: boolean;
  /** whose it is as far as anybody can say: of its reference, or of the movement that it gives back */
  transactionId: string | null;
  /** a pending transaction or live bill that it is about */
  pendingId: string | null;
  isBill: boolean;
  /** for that one, or for the notification of an open number's payment, within the grace; or for people who name the amount of its item, which nobody could read */
  waits: boolean;
  /** it waits no more, or what it waits for may have come: its receipt is a name of ours */
  isDue: boolean;
};

/** What waited longer than its grace and these days while nobody looked is for the next import. */
const MISSED_DAYS = 7;
const DAY_MS = 86_400_000;

/** Whether a line of the account may wait. Reads its lines of a few days by their index: cheap enough for every minute. */
export async function hasOpenLines(
  db: Queryable,
  { account, graceMs }: Pick<Sides, 'account' | 'graceMs'>,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT FROM statement_lines l WHERE l.account = $1 AND l.day >= current_date - $2::int
       AND l.status = 'done' AND l.amount <> 0 AND l.finding IS DISTINCT FROM 'changed'
       AND NOT EXISTS (SELECT FROM line_matches m WHERE m.line_id = l.id) LIMIT 1`,
    [account, Math.ceil(graceMs / DAY_MS) + MISSED_DAYS],
  );
  return rowCount === 1;
}

/** In the order of their chain. `space`: of its connection, in which items are named. */
export async function openLinesOf(db: Queryable, sides: Sides & { connection: string }): Promise<OpenLine[]> {
  const { account, books, connections, connection, graceMs } = sides;
  const { rows } = await db.query(OPEN_LINES, [account, books, connections, connection, graceMs]);
  return rows.map(({ isInGrace, isUnnamed, ...line }) => ({
    ...(line as Omit<OpenLine, 'waits' | 'isDue'>),
    waits: isInGrace || isUnnamed,
    isDue: !isUnnamed && (!isInGrace || line.isTaken),
  }));
}

const UUID = "'^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$'" as const;

const OPEN_LINES = `
  WITH ${SIDES},
  about AS (
    SELECT l.id, coalesce(x.id, b.transaction_id, p.id) AS transaction_id FROM line l
    LEFT JOIN transactions x ON x.reference = l.reference OR x.id = CASE WHEN l.reference ~ ${UUID} THEN l.reference::uuid END
    LEFT JOIN bills b ON b.control_number = l.reference
    LEFT JOIN (SELECT min(id::text)::uuid AS id, channel_reference FROM transactions
      WHERE status = 'pending' AND channel_reference IS NOT NULL GROUP BY channel_reference HAVING count(*) = 1) p ON p.channel_reference = l.receipt)
  SELECT l.id, l.kind, l.receipt, l.amount, l.currency, l.at, l.day::text AS day, l.finding, l.sweep_to AS "sweepTo",
    left(encode(l.key, 'hex'), 16) AS digits,
    (SELECT count(*) FROM statement_lines s WHERE s.receipt = l.receipt AND s.kind = l.kind AND s.id <= l.id)::int AS nth,
    l.receipt IS NOT NULL AND (row_number() OVER (PARTITION BY l.receipt ORDER BY l.position) > 1
      OR EXISTS (SELECT FROM suspense_items i WHERE i.space = receipt_space($4) AND l.receipt IN (i.receipt, i.known_as))
      OR EXISTS (SELECT FROM bill_receipts r WHERE r.space = receipt_space($4) AND r.receipt = l.receipt AND r.outcome <> 'refused')) AS "isTaken",
    coalesce(t.id, (SELECT tr.transaction_id FROM statement_lines s JOIN line_matches m ON m.line_id = s.id
      JOIN entries e ON e.id = m.entry_id JOIN transfers tr ON tr.id = e.transfer_id
      WHERE s.account = l.account AND s.receipt = ANY(l.names) AND tr.transaction_id IS NOT NULL ORDER BY s.id LIMIT 1)) AS "transactionId",
    CASE WHEN t.status = 'pending' THEN t.id END AS "pendingId", t.connection IS NULL AS "isBill",
    (t.status IS NOT DISTINCT FROM 'pending' OR l.amount > 0 AND EXISTS (SELECT FROM numbers n WHERE n.control_number = l.reference AND n.status = 'open'))
      AND l.at + $5 * interval '1 millisecond' > now() AS "isInGrace",
    EXISTS (SELECT FROM suspense_items i WHERE i.space = receipt_space($4) AND i.receipt = l.receipt AND i.amount = 0 AND i.named_by IS NULL) AS "isUnnamed"
  FROM line l JOIN about a ON a.id = l.id LEFT JOIN transactions t ON t.id = a.transaction_id
  ORDER BY l.position /* never null: day, digits, nth, isTaken, isBill, isInGrace, isUnnamed */` as const;

/** What rules have booked as charges of these days, in minor units. */
export async function chargedOn(
  db: Queryable,
  account: string,
  days: readonly string[],
): Promise<Map<string, Minor>> {
  const { rows } = await db.query(
    `SELECT l.day::text AS day, -sum(l.amount)::bigint AS amount FROM statement_lines l
     WHERE l.account = $1 AND l.day = ANY($2::text[]::date[])
       AND EXISTS (SELECT FROM line_matches m WHERE m.line_id = l.id AND m.pass = 'charge')
     GROUP BY l.day /* never null: day, amount */`,
    [account, days],
  );
  return new Map(rows.map(({ day, amount }) => [day, amount as Minor]));
}
