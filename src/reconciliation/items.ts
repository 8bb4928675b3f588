import type { Minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { lastFixedDay } from './fixed-day.ts';
import { groupsOf, type Proven, type StatementAccounts, valuesOf } from './groups.ts';
import { EARLY_DAYS, MAY_BE_NUMBERED_ANEW, NAMES_ONE } from './passes.ts';

/** Classes of an item, which is a statement line or a movement of ours that no statement shows. */

export const itemClasses = ['theirs_only', 'ours_only', 'differs', 'twice', 'changed'] as const;
type ItemClass = (typeof itemClasses)[number];
/** `waiting`: for its other side, during the grace period. `decided`: by two operators. */
export const itemStates = ['matched', 'booked', 'waiting', 'open', 'decided'] as const;
type ItemState = (typeof itemStates)[number];

/** An item is a line (`ln_…`), or an entry of ours without one (`en_…`). */
export type ReconciliationItem = {
  id: string;
  account: string;
  /** day in Dar es Salaam */
  day: string;
  /** null: matched, or booked by a rule */
  class: ItemClass | null;
  state: ItemState;
  receipt: string | null;
  reference: string | null;
  kind: string;
  /** minor units, positive: into the account */
  amount: Minor;
  currency: string;
  ageDays: number;
  /** suspense item that holds its money */
  item: string | null;
  /** part of that item to decide about: the difference, if the line differs */
  itemAmount: Minor | null;
  /** statement of the line; null: a movement of ours */
  statement: string | null;
};

/** Returns the amount to decide about, in minor units, positive: into the account. */
export const openAmount = ({
  amount,
  itemAmount,
}: Pick<ReconciliationItem, 'amount' | 'itemAmount'>): Minor => itemAmount ?? amount;

/** upper bound of a transaction's duration, by which entries may be later than their transfer */
const TRANSACTION_MAX = '1 hour';

/** Inlined in each statement, so Postgres can estimate how few rows are later. */
export const FIXED_UNTIL = "(($5::date + 1)::timestamp AT TIME ZONE 'Africa/Dar_es_Salaam')" as const;

/**
 * Lines and entries are joined by `line_matches`. An entry that operators corrected or a void reversed needs
 * no line; nor does the correction or reversal. $5: the last fixed day; earlier lines are left out, unless
 * their item came back to suspense. $6: only this line or, if negative, this entry. A line of several payouts
 * is open while one of its items is open, and shows that item. A movement of ours counts on the day of its
 * booking, and is `differs` at once if a line says that it failed. `since`: ours are read from then on.
 */
export const reconciled = <S extends string>(since: S) =>
  `
  span AS (
    SELECT (SELECT min(o.from_at) FROM unnest($1::text[]) AS a (account) CROSS JOIN LATERAL
        (SELECT from_at FROM statements WHERE account = a.account AND voided_by IS NULL
          ORDER BY from_at LIMIT 1) o) AS since,
      (SELECT max(n.to_at) FROM unnest($1::text[]) AS a (account) CROSS JOIN LATERAL
        (SELECT to_at FROM statements WHERE account = a.account AND voided_by IS NULL
          ORDER BY to_at DESC LIMIT 1) n) AS until,
      (SELECT min(imported_at) FROM statements
        WHERE account = ANY($1) AND is_first AND voided_by IS NULL) AS opened),
  line AS MATERIALIZED (
    SELECT * FROM statement_lines
    WHERE account = ANY($1) AND ($5::date IS NULL OR day > $5::date)
      AND ($6::bigint IS NULL OR id = $6::bigint) AND NOT is_void AND status = 'done' AND amount <> 0
    UNION ALL SELECT DISTINCT l.* FROM suspense_items i JOIN transfers t ON t.id = i.transfer_id
      JOIN statement_lines l ON l.id = t.line_id
      WHERE i.is_open AND l.account = ANY($1) AND l.day <= $5::date AND NOT l.is_void AND l.status = 'done'
        AND l.amount <> 0),
  moved_lately AS (
    SELECT e.id FROM transfers t JOIN entries e ON e.transfer_id = t.id
    JOIN ledger_accounts a ON a.id = e.ledger_account_id
    WHERE a.code = ANY($2) AND t.created_at >= ${FIXED_UNTIL} - interval '${TRANSACTION_MAX}'
      AND e.at >= ${FIXED_UNTIL} AND $6::bigint IS NULL
    UNION SELECT x.entry_id FROM line l JOIN line_matches x ON x.line_id = l.id AND NOT x.is_freed
    UNION SELECT -$6::bigint WHERE $6::bigint < 0),
  ours AS MATERIALIZED (
    SELECT e.id AS entry_id, e.transfer_id, e.undoes, -e.amount AS amount, m.currency, m.account, x.line_id,
      CASE WHEN m.at IS NULL THEN e.at
        ELSE (SELECT v.at FROM movement_entries v WHERE v.entry_id = e.id) END AS at,
      e.at AS booked_at, (e.at AT TIME ZONE 'Africa/Dar_es_Salaam')::date AS booked_on
    FROM entries e JOIN movements m ON m.id = e.movement_id
    LEFT JOIN line_matches x ON x.entry_id = e.id AND NOT x.is_freed
    WHERE ($5::date IS NULL AND $6::bigint IS NULL OR e.id = ANY(ARRAY(SELECT id FROM moved_lately)))
      AND e.at >= ${since}
      AND e.ledger_account_id = ANY(ARRAY(SELECT id FROM ledger_accounts WHERE code = ANY($2)))
      AND (m.account = ANY($1) OR m.account IS NULL
      AND (m.connection IS NULL OR $3::text[] IS NULL OR m.connection = ANY($3)))),
  unseen AS (
    SELECT o.*, t.kind, t.transaction_id
    FROM ours o JOIN transfers t ON t.id = o.transfer_id CROSS JOIN span
    WHERE o.line_id IS NULL AND o.undoes IS NULL AND (o.at >= span.since OR o.booked_at >= span.opened)
      AND NOT EXISTS (SELECT FROM entries u JOIN transfers v ON v.id = u.transfer_id AND v.kind = 'void'
        WHERE u.undoes = o.entry_id)),
  failed AS MATERIALIZED (
    SELECT l.status, l.receipt, l.amount, l.currency, n.its, n.is_receipt
    FROM statement_lines l
    CROSS JOIN LATERAL (VALUES (l.receipt, true), (l.reference, false)) n (its, is_receipt)
    WHERE l.account = ANY($1) AND l.at >= (SELECT min(at) - interval '${EARLY_DAYS} days' FROM unseen)
      AND l.status = 'failed' AND NOT l.is_void
      AND l.kind IN ('payment', 'payout', 'funding', 'adjustment', 'unknown') AND n.its IS NOT NULL),
  denied AS (
    SELECT o.entry_id, min(f.status) AS word
    FROM (SELECT u.*, m.is_named, n.its, n.is_receipt FROM unseen u JOIN movement_entries m USING (entry_id)
      CROSS JOIN LATERAL (SELECT unnest(m.receipts) AS its, true AS is_receipt
        UNION ALL SELECT unnest(m.ours), false) n
      WHERE EXISTS (SELECT FROM failed)) o
    JOIN failed f USING (its, is_receipt, currency) LEFT JOIN transactions t ON t.id = o.transaction_id
    WHERE f.amount * sign(o.amount) >= 0
      AND (o.is_receipt OR ${NAMES_ONE} AND (f.receipt IS NULL OR ${MAY_BE_NUMBERED_ANEW}))
      AND o.kind NOT IN ('reversal', 'suspense_return')
      AND NOT EXISTS (SELECT FROM entries e
        JOIN entries back ON back.movement_id = e.movement_id AND back.takes_back WHERE e.id = o.entry_id)
    GROUP BY o.entry_id),
  booked AS (
    SELECT x.line_id, bool_or(t.kind IN ('charge', 'sweep', 'own')) AS is_booked,
      bool_or(x.pass = 'differs') AS differs,
      (array_agg(i.id ORDER BY i.left_by IS NULL DESC, i.id) FILTER (WHERE i.id IS NOT NULL
        AND x.pass NOT IN ('receipt', 'reference', 'reversal', 'batch')))[1] AS item
    FROM line_matches x JOIN line l ON l.id = x.line_id AND NOT x.is_freed JOIN entries e ON e.id = x.entry_id
    JOIN transfers t ON t.id = e.transfer_id
    LEFT JOIN suspense_items i ON i.transfer_id = t.id GROUP BY x.line_id),
  found AS (
    SELECT 'ln_' || l.id AS id, l.account, l.day, l.kind, l.receipt, l.reference, l.amount, l.currency, l.at,
      b.item, i.amount AS item_amount, l.statement_id AS statement, NULL::bigint AS entry_id,
      CASE WHEN EXISTS (SELECT FROM line_dismissals d WHERE d.line_id = l.id) THEN 'decided'
        WHEN l.finding = 'changed'
        OR b.line_id IS NULL AND l.at + $4 * interval '1 millisecond' <= now() THEN 'open'
        WHEN b.line_id IS NULL THEN 'waiting'
        WHEN b.item IS NOT NULL THEN CASE WHEN i.left_by IS NULL THEN 'open' ELSE 'decided' END
        WHEN b.is_booked THEN 'booked' ELSE 'matched' END AS state,
      CASE WHEN l.finding IS NOT NULL THEN l.finding WHEN b.differs THEN 'differs'
        WHEN b.line_id IS NULL OR b.item IS NOT NULL THEN 'theirs_only' END AS class
    FROM line l LEFT JOIN booked b ON b.line_id = l.id LEFT JOIN suspense_items i ON i.id = b.item
    UNION ALL
    SELECT 'en_' || o.entry_id, coalesce(o.account, ($1)[1]), o.booked_on, coalesce(d.word, o.kind),
      NULL, NULL, o.amount, o.currency, o.at, NULL, NULL, NULL, o.entry_id,
      CASE WHEN EXISTS (SELECT FROM entries u WHERE u.undoes = o.entry_id) THEN 'decided'
        WHEN d.word IS NULL AND o.at + $4 * interval '1 millisecond' > now() THEN 'waiting' ELSE 'open' END,
      CASE WHEN d.word IS NULL THEN 'ours_only' ELSE 'differs' END
    FROM unseen o CROSS JOIN span LEFT JOIN denied d USING (entry_id)
    WHERE o.at < span.until OR d.word IS NOT NULL)` as const;

/** No movement is booked more than a day before the time that its line says. */
const UNSEEN_SINCE = "(SELECT least(since, opened) - interval '1 day' FROM span)" as const;

/** Names are read for the rows shown alone: to read those of 250,000 movements took over 10 s. */
const ITEMS = `WITH ${reconciled(UNSEEN_SINCE)},
  shown AS (
    SELECT * FROM found
    WHERE ($7::text[] IS NULL OR state = ANY($7)) AND ($8::text IS NULL OR id = $8)
      AND ($9::text IS NULL OR account = $9) AND ($10::text IS NULL OR class = $10)
    ORDER BY at, id LIMIT $11)
  SELECT s.id, s.account, s.day::text AS day, s.class, s.state, coalesce(s.receipt, m.receipt) AS receipt,
  coalesce(s.reference, m.reference) AS reference, s.kind, s.amount, s.currency, s.item,
  s.item_amount AS "itemAmount", s.statement, extract(day FROM now() - s.at)::int AS "ageDays"
  FROM shown s LEFT JOIN LATERAL (SELECT receipts[1] AS receipt, ours[1] AS reference
    FROM movement_entries WHERE entry_id = s.entry_id OFFSET 0) m ON true
  ORDER BY s.at, s.id
  /* never null: id, account, day, state, kind, amount, currency, ageDays */` as const;

/** Returns items, oldest first. `states` null: any. */
export async function itemsOf(
  db: Queryable,
  group: Proven,
  asked: {
    states?: readonly ItemState[];
    id?: string;
    account?: string | undefined;
    class?: ItemClass | undefined;
    limit: number;
  },
): Promise<ReconciliationItem[]> {
  const { states = null, id = null, account = null, class: of = null, limit } = asked;
  const isOfToday = id === null && states?.every((state) => state === 'open' || state === 'waiting');
  const fixed = isOfToday ? await lastFixedDay(db, group) : null;
  const { rows } = await db.query(ITEMS, [
    ...valuesOf(group),
    fixed?.day ?? null,
    id === null ? null : numberOf(id),
    states,
    id,
    account,
    of,
    limit,
  ]);
  return rows as ReconciliationItem[];
}

/** Returns our unseen movements that an open item repeats (same transaction and amount). */
export async function bookedTwice(
  db: Queryable,
  unseen: readonly Pick<ReconciliationItem, 'id'>[],
): Promise<string[]> {
  const { rows } = await db.query(
    `SELECT DISTINCT 'en_' || e.id AS id FROM entries e JOIN movements m ON m.id = e.movement_id
     JOIN suspense_items i ON i.transaction_id = m.transaction_id AND i.amount = m.amount
       AND i.currency = m.currency AND i.is_open
     JOIN entries shown ON shown.transfer_id = i.transfer_id
     JOIN line_matches x ON x.entry_id = shown.id AND NOT x.is_freed
     WHERE e.id = ANY($1) /* never null: id */`,
    [unseen.map(({ id }) => -numberOf(id))],
  );
  return rows.map(({ id }) => id);
}

/** Returns the value of $6 in RECONCILED. */
function numberOf(id: string): number {
  const [, side, number] = /^(ln|en)_([1-9]\d{0,14})$/.exec(id) ?? [];
  return Number(number ?? 0) * (side === 'en' ? -1 : 1);
}

export async function findItem(
  db: Queryable,
  accounts: StatementAccounts,
  id: string,
): Promise<{ item: ReconciliationItem; group: Proven } | null> {
  for (const group of groupsOf(accounts)) {
    const [item] = await itemsOf(db, group, { id, limit: 1 });
    if (item) return { item, group };
  }
  return null;
}
