import type { Minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { type FixedDay, fixedDays } from './fixed-day.ts';
import { type Proven, type ProvenValues, valuesOf } from './groups.ts';
import { FIXED_UNTIL, reconciled } from './items.ts';

/** A group's closing = −clearing + unbooked − unseen, at the day's end: later bookings count as unbooked. */
export type ProvenDay = {
  account: string;
  day: string;
  state: 'open' | 'balanced' | 'closed';
  lines: number;
  matched: number;
  booked: number;
  /** number of lines, and of our movements, that are open or waiting */
  open: number;
  /** minor units; null if neither file nor network says it */
  opening: Minor | null;
  closing: Minor | null;
  /** the ledger's `clearing` and `settlement`; negative: the network or bank has our money */
  clearing: Minor;
  unbooked: Minor;
  unseen: Minor;
  /** true if the day is over and statements cover all of it */
  isCovered: boolean;
  holds: boolean;
};

/** SQL: the balance that statements prove; null from the unproven day on. */
const balanceAt = <D extends string>(day: D) =>
  `CASE WHEN u.day <= ${day} THEN NULL
     ELSE coalesce((SELECT l.running FROM statement_lines l
        WHERE l.account = a.account AND NOT l.is_void AND l.day <= ${day} AND l.running IS NOT NULL
        ORDER BY l.day DESC, l.position DESC LIMIT 1), (SELECT f.opening FROM statements f
          WHERE f.account = a.account AND f.is_first AND f.voided_by IS NULL)) END` as const;

/** SQL: a failed line of a file without balances makes days unproven, until a later file has balances. */
const UNPROVEN = `unproven AS (
    SELECT f.account, min(l.day) AS day FROM statements f JOIN statement_lines l ON l.statement_id = f.id
    WHERE f.account = ANY($1) AND f.voided_by IS NULL AND f.closing IS NULL AND l.status = 'failed'
      AND NOT EXISTS (
        SELECT FROM statements p
        WHERE p.account = f.account AND p.voided_by IS NULL AND p.closing IS NOT NULL AND p.to_at > l.at)
    GROUP BY f.account)` as const;

const DAYS = `WITH ${reconciled("'-infinity'")},
  ${UNPROVEN},
  day AS (
    SELECT generate_series(greatest((since AT TIME ZONE 'Africa/Dar_es_Salaam')::date, $5::date + 1),
      ((until - interval '1 microsecond') AT TIME ZONE 'Africa/Dar_es_Salaam')::date,
      interval '1 day')::date AS day, until FROM span WHERE since IS NOT NULL),
  settled AS (
    SELECT l.id, l.amount, greatest(l.day, max(o.booked_on)) AS day
    FROM ours o JOIN statement_lines l ON l.id = o.line_id
    WHERE NOT l.is_void AND l.status = 'done' GROUP BY l.id),
  moved AS (
    SELECT day, amount AS theirs, 0 AS ours, 0 AS explained FROM line
    WHERE finding IS DISTINCT FROM 'changed' AND ($5::date IS NULL OR day > $5::date)
    UNION ALL SELECT day, 0, 0, amount FROM settled WHERE $5::date IS NULL OR day > $5::date
    UNION ALL SELECT booked_on, 0, o.amount, 0 FROM ours o
    WHERE $5::date IS NULL OR booked_at >= ${FIXED_UNTIL}),
  sums AS (
    SELECT d.day, sum(m.theirs) AS theirs, sum(m.ours) AS ours, sum(m.explained) AS explained,
      CASE WHEN $5::date IS NULL THEN (SELECT sum(o.amount) FROM ours o CROSS JOIN span
        WHERE o.at < span.since AND o.booked_at < span.opened
        AND NOT EXISTS (SELECT FROM statement_lines l JOIN statements f ON f.id = l.statement_id
          WHERE l.id = o.line_id AND f.is_first AND f.voided_by IS NULL)) END AS earlier
    FROM day d LEFT JOIN (SELECT day, sum(theirs) AS theirs, sum(ours) AS ours, sum(explained) AS explained
      FROM moved GROUP BY day) m ON m.day <= d.day GROUP BY d.day),
  counts AS (
    SELECT account, day, count(*) FILTER (WHERE id LIKE 'ln%') AS lines,
      count(*) FILTER (WHERE state = 'matched') AS matched,
      count(*) FILTER (WHERE state IN ('booked', 'decided') AND id LIKE 'ln%') AS booked,
      count(*) FILTER (WHERE state IN ('open', 'waiting')) AS open
    FROM found GROUP BY account, day)
  SELECT a.account, d.day::text AS day, coalesce(c.lines, 0)::int AS lines,
  coalesce(c.matched, 0)::int AS matched,
    coalesce(c.booked, 0)::int AS booked, coalesce(c.open, 0)::int AS open,
    (d.day + 1)::timestamp AT TIME ZONE 'Africa/Dar_es_Salaam' <= d.until AS covered,
    EXISTS (SELECT FROM closed_days x
      WHERE x.account = a.account AND x.day = d.day AND x.reopened_at IS NULL) AS closed,
    ${balanceAt('d.day - 1')} AS opening, ${balanceAt('d.day')} AS closing,
    ($8::bigint - coalesce(s.ours, 0))::bigint AS clearing,
    ($9::bigint + coalesce(s.theirs, 0) - coalesce(s.explained, 0))::bigint AS unbooked,
    ($10::bigint + coalesce(s.ours, 0) - coalesce(s.earlier, 0) - coalesce(s.explained, 0))::bigint AS unseen
  FROM day d CROSS JOIN unnest($1::text[]) AS a (account) JOIN sums s USING (day)
  LEFT JOIN counts c ON c.account = a.account AND c.day = d.day
    LEFT JOIN unproven u ON u.account = a.account
  WHERE $7::date IS NULL OR d.day = $7::date
  ORDER BY d.day, a.account
  /* never null: account, day, lines, matched, booked, open, covered, clearing, unbooked, unseen */` as const;

const CLOSINGS = `WITH ${UNPROVEN},
  said AS (
    SELECT d.day::text AS day, ${balanceAt('d.day')} AS closing,
      (SELECT min(s.from_at) < d.over AND max(s.to_at) >= d.over
        FROM statements s WHERE s.account = a.account AND s.voided_by IS NULL) AS covered
    FROM (SELECT at::date AS day,
      (at::date + 1)::timestamp AT TIME ZONE 'Africa/Dar_es_Salaam' AS over FROM generate_series($2::date,
        $3::date, interval '1 day') at) d
    CROSS JOIN unnest($1::text[]) AS a (account) LEFT JOIN unproven u ON u.account = a.account)
  SELECT day, sum(closing)::bigint AS closing FROM said GROUP BY day
  HAVING bool_and(covered AND closing IS NOT NULL) /* never null: day, closing */` as const;

/** Returns a group's money (minor units) at the end of each proven day. Both bounds are included. */
export async function closingsOf(
  db: Queryable,
  group: Proven,
  { from, to }: { from: string; to: string },
): Promise<ReadonlyMap<string, number>> {
  const [accounts] = valuesOf(group);
  const { rows } = await db.query(CLOSINGS, [accounts, from, to]);
  return new Map(rows.map(({ day, closing }) => [day, closing]));
}

/** Returns one day, or all since a group's first statement, oldest first. A closed day keeps its figures. */
export async function daysOf(db: Queryable, group: Proven, day: string | null = null): Promise<ProvenDay[]> {
  const values = valuesOf(group);
  const fixed = await fixedDays(db, group);
  const closed = { state: 'closed', open: 0, isCovered: true, holds: true } as const;
  const before = fixed
    .filter((one) => day === null || one.day === day)
    .map((one) => ({ ...one, ...closed }))
    .sort((a, b) => (a.day + a.account < b.day + b.account ? -1 : 1));
  const from = fixed.at(-1) ?? null;
  if (day !== null && from !== null && day <= from.day) return before;
  return [...before, ...(await openDays(db, values, { day, from }))];
}

async function openDays(
  db: Queryable,
  values: ProvenValues,
  { day, from }: { day: string | null; from: FixedDay | null },
): Promise<ProvenDay[]> {
  const { clearing = 0, unbooked = 0, unseen = 0 } = from ?? {};
  const asked = [from?.day ?? null, null, day, clearing, unbooked, unseen] as const;
  const { rows } = await db.query(DAYS, [...values, ...asked]);
  const closings = new Map<string, number | null>();
  for (const row of rows) {
    const sum = closings.has(row.day) ? (closings.get(row.day) ?? null) : 0;
    closings.set(row.day, sum === null || row.closing === null ? null : sum + row.closing);
  }
  return rows.map(({ covered, closed, ...row }) => {
    const day = row as Omit<ProvenDay, 'state' | 'isCovered' | 'holds'>;
    const holds = closings.get(row.day) === -row.clearing + row.unbooked - row.unseen;
    const isOpen = rows.some((other) => other.day === row.day && other.open > 0);
    const state = closed ? 'closed' : holds && covered && !isOpen ? 'balanced' : 'open';
    return { ...day, state, isCovered: covered, holds };
  });
}
