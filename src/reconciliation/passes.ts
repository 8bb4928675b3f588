import type { Minor } from '../domain/money.ts';
import type { ToldName } from '../ledger/booked.ts';
import type { Queryable } from '../platform/db/pool.ts';

/**
 * Finds the movement of ours that a line shows. Each pass is one SQL statement and exact: receipt or
 * reference, amount and currency are equal, and neither side has a second candidate. Time only limits how
 * much is read.
 */

export type Sides = {
  account: string;
  books: readonly string[];
  /** null: all */
  connections: readonly string[] | null;
  graceMs: number;
  lines: Unexplained;
};

/** Postgres plans by these values: it has no statistics of new rows. `since`: their earliest time, if any. */
export type Unexplained = { ids: readonly number[]; since: string | null };

type Values = readonly [
  string,
  readonly string[],
  readonly string[] | null,
  readonly number[],
  string | null,
];
export const valuesOf = ({ account, books, connections, lines }: Sides): Values => [
  account,
  books,
  connections,
  lines.ids,
  lines.since,
];

/** A movement of ours may be booked this many days before its line. */
export const EARLY_DAYS = 8;

/**
 * The opening balance of account $1 counts earlier movements that were booked by then, except those that the
 * first statement shows.
 */
const FIRST =
  'FROM statements WHERE account = $1 AND is_first AND voided_by IS NULL AND opening IS NOT NULL' as const;
export const OPENED = `(SELECT from_at ${FIRST})` as const;

/**
 * Selects unexplained lines among $4, the earliest at $5, and movements of ours without a line: of account
 * $1, ledger accounts $2, connections $3. Undone movements and their undoings match no line. Nor do those
 * that the opening counts (only `unseen` has these); their lines stay open to offset the opening. Entries are
 * chosen before their names are read: to begin with all movements took 9 s for 160,000, in each pass.
 */
export const SIDES = `line AS MATERIALIZED (
    SELECT l.* FROM unnest($4::bigint[]) AS its (id) JOIN statement_lines l ON l.id = its.id
    WHERE NOT EXISTS (SELECT FROM line_matches m WHERE m.line_id = l.id)
      AND NOT EXISTS (SELECT FROM closed_days d
        WHERE d.account = l.account AND d.day = l.day AND d.reopened_at IS NULL)),
  plain AS (SELECT * FROM line WHERE finding IS NULL AND kind <> 'opening'),
  booked_lately AS (
    SELECT e.id FROM transfers t JOIN entries e ON e.transfer_id = t.id
    WHERE t.created_at >= $5::timestamptz - interval '${EARLY_DAYS} days'
      AND e.ledger_account_id = ANY(ARRAY(SELECT id FROM ledger_accounts WHERE code = ANY($2)))
      AND NOT EXISTS (SELECT FROM line_matches x WHERE x.entry_id = e.id AND NOT x.is_freed)
      AND e.undoes IS NULL AND NOT EXISTS (SELECT FROM entries u WHERE u.undoes = e.id)),
  unseen AS MATERIALIZED (
    SELECT m.*, m.at >= coalesce(${OPENED}, '-infinity')
      OR m.created_at >= (SELECT imported_at ${FIRST}) AS is_uncounted
    FROM movement_entries m
    WHERE m.entry_id = ANY(ARRAY(SELECT id FROM booked_lately)) AND (m.account = $1 OR m.account IS NULL
      AND (m.connection IS NULL OR $3::text[] IS NULL OR m.connection = ANY($3)))),
  ours AS (SELECT * FROM unseen WHERE is_uncounted)` as const;

export const UUID = "'^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$'" as const;

/** A bank may make one line for several payouts, if it names our references and is exactly their sum. */
export const PARTS = `named AS (
    SELECT l.id AS line_id, l.amount AS total, cardinality(l.names) AS named, t.id AS transaction_id,
      t.status, -t.amount AS amount, t.currency
    FROM plain l CROSS JOIN unnest(l.names) AS its
    JOIN transactions t ON t.reference = its OR t.id = CASE WHEN its ~ ${UUID} THEN its::uuid END
    WHERE cardinality(l.names) > 1 AND t.type IN ('payout', 'payback') AND t.currency = l.currency
      AND 'clearing:' || t.channel || ':' || t.currency = ANY($2)),
  parts AS MATERIALIZED (
    SELECT * FROM named JOIN (SELECT line_id FROM named GROUP BY line_id, total, named
      HAVING count(*) = named AND count(DISTINCT transaction_id) = named
        AND sum(amount) = total) whole USING (line_id))` as const;

/** One movement belongs to one line, and one line to one movement. */
const ONE_TO_ONE = `alone AS (
    SELECT *, count(*) OVER (PARTITION BY line_id) AS entries, count(*) OVER (PARTITION BY entry_id) AS lines
    FROM pair)` as const;

const FEES = "('fee', 'tax')" as const;

/** If the channel gave another receipt, it is another movement; but banks renumber payouts. */
export const MAY_BE_NUMBERED_ANEW =
  "NOT o.is_named OR t.channel = 'bank' AND t.type IN ('payout', 'payback')" as const;

/** Many payments share a standing number, or a number of nobody, so another amount means another payment. */
export const NAMES_ONE = `o.transaction_id IS NOT NULL
     AND o.its IS DISTINCT FROM (SELECT n.control_number FROM numbers n WHERE n.id = t.number_id)` as const;

/** Runs every pass. Returns lines' names for movements that are in suspense or were typed by operators. */
export async function matchLines(db: Queryable, sides: Sides): Promise<ToldName[]> {
  const values = valuesOf(sides);
  const { rows: typed } = await db.query(BY_RECEIPT, values);
  await db.query(BY_OTHER_NUMBER, values);
  const { rows } = await db.query(BY_REFERENCE, values);
  await db.query(BY_ORIGINAL, values);
  await db.query(BY_BATCH, values);
  await db.query(SECOND_HALF, values);
  return [...typed, ...rows];
}

const BY_RECEIPT = `
  WITH ${SIDES}, pair AS (
    SELECT DISTINCT l.id AS line_id, o.entry_id FROM plain l
    JOIN (SELECT ours.*, unnest(receipts) AS its FROM ours) o
      ON plain_name(o.its) = plain_name(l.receipt) AND o.amount = l.amount AND o.currency = l.currency),
  ${ONE_TO_ONE},
  matched AS (
    INSERT INTO line_matches (entry_id, line_id, pass)
    SELECT entry_id, line_id, 'receipt' FROM alone WHERE entries = 1 AND lines = 1
    RETURNING entry_id, line_id)
  SELECT e.movement_id AS movement, l.receipt AS name, l.id AS line
  FROM matched JOIN plain l ON l.id = line_id JOIN entries e ON e.id = entry_id
  JOIN movements m ON m.id = e.movement_id
  WHERE m.told_by = 'people' AND NOT e.takes_back /* never null: movement, name, line */` as const;

/** Matches by the network's other numbers, unless receipts show that the line is another movement. */
const BY_OTHER_NUMBER = `
  WITH ${SIDES}, pair AS (
    SELECT DISTINCT l.id AS line_id, o.entry_id
    FROM (SELECT plain.*, unnest(also_known_as) AS its FROM plain) l
    JOIN (SELECT ours.*, unnest(receipts) AS its FROM ours) o
      ON plain_name(o.its) = plain_name(l.its) AND o.amount = l.amount AND o.currency = l.currency
    LEFT JOIN transactions t ON t.id = o.transaction_id
    WHERE l.kind NOT IN ${FEES} AND (l.receipt IS NULL OR ${MAY_BE_NUMBERED_ANEW}
      OR EXISTS (SELECT FROM entries e JOIN movement_names n ON n.movement_id = e.movement_id
        WHERE e.id = o.entry_id AND n.is_receipt AND n.freed_at IS NULL AND n.plain = plain_name(l.its)))),
  ${ONE_TO_ONE}
  INSERT INTO line_matches (entry_id, line_id, pass)
  SELECT entry_id, line_id, 'receipt' FROM alone WHERE entries = 1 AND lines = 1` as const;

const BY_REFERENCE = `
  WITH ${SIDES}, pair AS (
    SELECT DISTINCT l.id AS line_id, o.entry_id, o.item, l.receipt FROM plain l
    JOIN (SELECT ours.*, unnest(ours) AS its FROM ours) o
      ON o.its = l.reference AND o.amount = l.amount AND o.currency = l.currency
    LEFT JOIN transactions t ON t.id = o.transaction_id
    WHERE l.kind NOT IN ${FEES} AND (l.receipt IS NULL OR ${MAY_BE_NUMBERED_ANEW})),
  ${ONE_TO_ONE},
  matched AS (
    INSERT INTO line_matches (entry_id, line_id, pass)
    SELECT entry_id, line_id, 'reference' FROM alone WHERE entries = 1 AND lines = 1 RETURNING entry_id)
  SELECT e.movement_id AS movement, p.receipt AS name, p.line_id AS line
  FROM matched JOIN pair p USING (entry_id) JOIN entries e ON e.id = p.entry_id
  WHERE p.item IS NOT NULL AND p.receipt IS NOT NULL AND NOT e.takes_back
  /* never null: movement, name, line */` as const;

/** A line that gives money back names the original movement, or has its number. */
const BY_ORIGINAL = `
  WITH ${SIDES}, pair AS (
    SELECT DISTINCT l.id AS line_id, o.entry_id FROM plain l
    JOIN (SELECT ours.*, unnest(originals) AS its FROM ours) o
      ON (o.its = ANY(l.names) OR plain_name(o.its) = plain_name(l.receipt)
        AND l.kind IN ('reversal', 'return')) AND o.amount = l.amount AND o.currency = l.currency),
  ${ONE_TO_ONE}
  INSERT INTO line_matches (entry_id, line_id, pass)
  SELECT entry_id, line_id, 'reversal' FROM alone WHERE entries = 1 AND lines = 1` as const;

/** A line may show several payments, if it names them all and is exactly their sum. */
const BY_BATCH = `
  WITH ${SIDES}, pair AS (
    SELECT DISTINCT l.id AS line_id, l.amount AS total, cardinality(l.names) AS named, o.its, o.entry_id,
      o.amount FROM plain l
    JOIN (SELECT ours.*, unnest(receipts || ours) AS its FROM ours) o
      ON o.its = ANY(l.names) AND o.currency = l.currency
    WHERE cardinality(l.names) > 1),
  whole AS (
    SELECT line_id FROM pair GROUP BY line_id, total, named
    HAVING count(*) = named AND count(DISTINCT its) = named AND count(DISTINCT entry_id) = named
      AND sum(amount) = total)
  INSERT INTO line_matches (entry_id, line_id, pass)
  SELECT entry_id, line_id, 'batch' FROM pair JOIN whole USING (line_id)
  WHERE NOT EXISTS (SELECT FROM pair p
    WHERE p.entry_id = pair.entry_id AND p.line_id <> pair.line_id)` as const;

/** A line of several payouts has these parts. `entryId`: the entry of a booked payout. */
export type Part = { lineId: number; transactionId: string; amount: Minor; entryId: number | null };

/** Finds lines that `BY_BATCH` left because a part is not booked, unless one of their payouts moved twice. */
export async function findParts(db: Queryable, sides: Sides): Promise<Part[]> {
  const { rows } = await db.query(FIND_PARTS, valuesOf(sides));
  return rows as Part[];
}

const FIND_PARTS = `
  WITH ${SIDES}, ${PARTS}, pair AS (
    SELECT p.*, o.entry_id, count(*) OVER (PARTITION BY p.line_id, p.transaction_id) AS entries,
      count(*) OVER (PARTITION BY o.entry_id) AS lines
    FROM parts p LEFT JOIN ours o USING (transaction_id, amount, currency)),
  exact AS (
    SELECT line_id FROM pair GROUP BY line_id
    HAVING bool_and(entries = 1 AND (lines = 1 OR entry_id IS NULL)) AND bool_or(entry_id IS NULL))
  SELECT line_id AS "lineId", transaction_id AS "transactionId", amount, entry_id AS "entryId"
  FROM pair JOIN exact USING (line_id) ORDER BY line_id, transaction_id` as const;

const ALIKE = 'PARTITION BY sweep_to, amount, currency' as const;

/**
 * A sweep has a line in each of two accounts. `halves` were booked with the other account's line; `theirs`
 * are lines that the mapping calls a sweep. They are paired by other account and amount, in order of time,
 * however far apart. A line that names no account takes the only one that fits.
 */
const HALVES = `halves AS (
    SELECT *, row_number() OVER (${ALIKE}, is_uncounted ORDER BY at, entry_id) AS n,
      count(*) OVER (${ALIKE}, is_uncounted) AS alike FROM (
        SELECT o.*, far.account AS sweep_to
        FROM unseen o JOIN entries e ON e.transfer_id = o.transfer_id AND e.id <> o.entry_id
        JOIN movements far ON far.id = e.movement_id WHERE o.kind = 'sweep' AND o.account = $1) o),
  theirs AS (
    SELECT *, row_number() OVER (${ALIKE} ORDER BY at, position) AS n, count(*) OVER (${ALIKE}) AS alike
    FROM (
      SELECT id, position, at, amount, currency, coalesce(sweep_to, (SELECT min(h.sweep_to) FROM halves h
        WHERE h.amount = l.amount AND h.currency = l.currency
        HAVING count(DISTINCT h.sweep_to) = 1)) AS sweep_to
      FROM plain l WHERE kind = 'sweep') l)` as const;

/** Halves of one amount between two accounts are interchangeable: each line takes the next one. */
const SECOND_HALF = `
  WITH ${SIDES}, ${HALVES}
  INSERT INTO line_matches (entry_id, line_id, pass)
  SELECT o.entry_id, l.id, 'sweep' FROM theirs l JOIN halves o USING (sweep_to, amount, currency, n, alike)
  WHERE o.is_uncounted` as const;

/** Finds lines that are halves of sweeps, and the open item of the other half; null if people must choose. */
export async function findFirstHalves(db: Queryable, sides: Sides): Promise<Map<number, string | null>> {
  const { rows } = await db.query(FIRST_HALVES, valuesOf(sides));
  return new Map(rows.map(({ line, item }) => [line, item]));
}

const FIRST_HALVES = `
  WITH ${SIDES}, ${HALVES},
  items AS (
    SELECT *, row_number() OVER (${ALIKE} ORDER BY at, line_id) AS n, count(*) OVER (${ALIKE}) AS alike FROM (
      SELECT i.id, s.account AS sweep_to, -i.amount AS amount, i.currency, s.at, s.id AS line_id
      FROM suspense_items i JOIN transfers t ON t.id = i.transfer_id
      JOIN statement_lines s ON s.id = t.line_id
      WHERE i.is_open AND s.kind = 'sweep' AND s.account <> $1 AND coalesce(s.sweep_to, $1) = $1
        AND s.amount = i.amount AND s.finding IS NULL) i)
  SELECT l.id AS line, i.id AS item
  FROM theirs l
  LEFT JOIN items i ON (i.sweep_to, i.amount, i.currency, i.n, i.alike) = (l.sweep_to, l.amount,
    l.currency, l.n, l.alike)
    AND NOT EXISTS (SELECT FROM halves h
      WHERE (h.sweep_to, h.amount, h.currency) = (l.sweep_to, l.amount, l.currency))
  WHERE EXISTS (SELECT FROM halves h
    WHERE (h.sweep_to, h.amount, h.currency) = (l.sweep_to, l.amount, l.currency))
    OR EXISTS (SELECT FROM items o
      WHERE (o.sweep_to, o.amount, o.currency) = (l.sweep_to, l.amount, l.currency))
  /* never null: line */` as const;

export type Difference = { lineId: number; entryId: number; amount: Minor; transactionId: string | null };

/**
 * Finds lines whose receipt, or else reference, names one movement of another amount. `amount`: line less
 * movement. Reversed movements are left out. A line with another receipt in the other direction is returned
 * money.
 */
export async function findDifferences(db: Queryable, sides: Sides): Promise<Difference[]> {
  const { rows } = await db.query(DIFFERENCES, valuesOf(sides));
  return rows as Difference[];
}

const DIFFERENCES = `
  WITH ${SIDES}, pair AS (
    SELECT DISTINCT l.id AS line_id, o.entry_id, l.amount - o.amount AS amount, o.transaction_id FROM plain l
    JOIN (SELECT ours.*, unnest(receipts) AS its, true AS is_receipt FROM ours
      UNION ALL SELECT ours.*, unnest(ours), false FROM ours) o
      ON plain_name(o.its) = plain_name(CASE WHEN o.is_receipt THEN l.receipt ELSE l.reference END)
        AND o.currency = l.currency AND o.amount <> l.amount
    LEFT JOIN transactions t ON t.id = o.transaction_id
    WHERE l.kind IN ('payment', 'payout', 'funding', 'adjustment', 'unknown')
      AND (o.is_receipt OR ${NAMES_ONE}
        AND (l.receipt IS NULL OR (${MAY_BE_NUMBERED_ANEW})
          AND (NOT o.is_named OR sign(o.amount) = sign(l.amount))))
      AND o.kind NOT IN ('reversal', 'suspense_return')
      AND EXISTS (SELECT FROM entries e
        WHERE e.id = o.entry_id AND NOT e.takes_back
          AND (SELECT sum(amount) FROM entries WHERE movement_id = e.movement_id) <> 0)),
  ${ONE_TO_ONE}
  SELECT line_id AS "lineId", entry_id AS "entryId", amount, transaction_id AS "transactionId"
  FROM alone WHERE entries = 1 AND lines = 1` as const;
