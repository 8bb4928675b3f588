import type { Minor } from '../domain/money.ts';
import { type Queryable, rowKeysOf } from '../platform/db/pool.ts';
import { keysOf } from '../platform/db/proofs.ts';
import { isProvenRow, signRow } from '../transactions/rows/submission-mac.ts';
import { type Proven, valuesOf } from './groups.ts';

/** Figures of a closed day in minor units. `clearing`, `unbooked` and `unseen` are its group's. */
export type DayFigures = {
  lines: number;
  matched: number;
  booked: number;
  opening: Minor | null;
  closing: Minor | null;
  clearing: Minor;
  unbooked: Minor;
  unseen: Minor;
};

export type FixedDay = DayFigures & { account: string; day: string };

/** The MAC covers these facts. A proposal (`closedBy`) closes one day once, so no row can be copied. */
type SignedDay = FixedDay & { together: string; closedBy: string };

/** Names the group that was proven together, because the figures hold for no other group. */
export const togetherOf = (group: Proven): string => JSON.stringify(valuesOf(group).slice(0, 3));

/** Throws if the process has no keys. */
export const macOfDay = (db: Queryable, day: SignedDay): string => signRow(keysOf(db), day);

/**
 * Returns the days that the whole group has closed since its first, without a gap, oldest first. Readers
 * start after the last one; empty: they read everything. Ignores rows without a valid MAC
 * (transactions/rows/row-mac.ts).
 */
export async function fixedDays(db: Queryable, group: Proven): Promise<FixedDay[]> {
  const [accounts] = valuesOf(group);
  const keys = rowKeysOf(db);
  if (!keys) return [];
  const { rows } = await db.query(CLOSED, [accounts]);
  const days: SignedDay[] = [];
  let before = '';
  for (const { nth, closedAt, mac, ...row } of rows) {
    const day = row as SignedDay;
    if (nth !== Math.floor(days.length / accounts.length) || closedAt < before) break;
    if (!isProvenRow(keys, day, mac)) break;
    before = closedAt;
    days.push(day);
  }
  days.length -= days.length % accounts.length;
  const together = togetherOf(group);
  while (days.length > 0 && days.at(-1)?.together !== together) days.length -= accounts.length;
  return days.map(({ together: _together, closedBy: _closedBy, ...day }) => day);
}

/** The last one has the group's figures at its end. */
export async function lastFixedDay(db: Queryable, group: Proven): Promise<FixedDay | null> {
  return (await fixedDays(db, group)).at(-1) ?? null;
}

/** SQL: reads the signed facts of a closed day `c`. */
export const SIGNED_DAY =
  `c.account, c.day::text AS day, c.lines, c.matched, c.booked, c.opening, c.closing, c.clearing,
    c.unbooked, c.unseen, c.together, c.closed_by AS "closedBy"` as const;

const CLOSED = `
  WITH first AS (
    SELECT min((o.from_at AT TIME ZONE 'Africa/Dar_es_Salaam')::date) AS day
    FROM unnest($1::text[]) AS a (account)
    CROSS JOIN LATERAL (SELECT from_at FROM statements WHERE account = a.account AND voided_by IS NULL
      ORDER BY from_at LIMIT 1) o)
  SELECT ${SIGNED_DAY}, c.mac, c.closed_at AS "closedAt", c.day - first.day AS nth
  FROM closed_days c JOIN first ON c.day >= first.day WHERE c.account = ANY($1) AND c.reopened_at IS NULL
  ORDER BY c.day, c.closed_at /* never null: day, nth */` as const;
