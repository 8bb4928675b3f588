import type { Queryable } from '../db/pool.ts';
import type { Minor } from '../domain/money.ts';
import { type Proven, valuesOf } from './groups.ts';

/** The last day of a group that nothing changes any more, and the money of the group at its end, in minor units. */
export type FixedDay = { day: string; clearing: Minor; unbooked: Minor; unseen: Minor };

/** Who is proven together, as a closed day keeps it: of another group its figures say nothing. */
export const togetherOf = (group: Proven): string => JSON.stringify(valuesOf(group).slice(0, 3));

/**
 * The last day up to which every day of every account of the group is closed, and none was opened again since it was. What comes
 * after it is read from there. null: there is none, and everything is read. Walks the closed days, a row for each.
 */
export async function lastFixedDay(db: Queryable, group: Proven): Promise<FixedDay | null> {
  const [accounts] = valuesOf(group);
  const { rows } = await db.query(FIXED, [accounts, togetherOf(group)]);
  return (rows[0] as FixedDay | undefined) ?? null;
}

const FIXED = `
  WITH first AS (
    SELECT min((o.from_at AT TIME ZONE 'Africa/Dar_es_Salaam')::date) AS day FROM unnest($1::text[]) AS a (account)
    CROSS JOIN LATERAL (SELECT from_at FROM statements WHERE account = a.account AND voided_by IS NULL ORDER BY from_at LIMIT 1) o),
  each AS (
    SELECT c.day, first.day AS first, count(*) FILTER (WHERE c.reopened_at IS NULL) = cardinality($1::text[]) AS is_closed,
      max(c.closed_at) FILTER (WHERE c.reopened_at IS NULL) AS closed_at, max(c.reopened_at) AS reopened_at
    FROM closed_days c JOIN first ON c.day >= first.day WHERE c.account = ANY($1) GROUP BY c.day, first.day),
  walked AS (
    SELECT day, closed_at, bool_and(is_closed) OVER up_to_it AND day - first + 1 = row_number() OVER (ORDER BY day)
      AND closed_at > coalesce(max(reopened_at) OVER up_to_it, '-infinity') AS is_fixed
    FROM each WINDOW up_to_it AS (ORDER BY day))
  SELECT c.day::text AS day, c.clearing, c.unbooked, c.unseen
  FROM walked w JOIN closed_days c ON c.day = w.day AND c.closed_at = w.closed_at
  WHERE w.is_fixed AND c.account = ANY($1) AND c.reopened_at IS NULL AND c.together = $2
  ORDER BY c.day DESC LIMIT 1 /* never null: day */` as const;
