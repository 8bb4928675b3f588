import type { Minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { type Proven, valuesOf } from './groups.ts';

/** Money that we can pay out from an account; minor units. */
export type Float = {
  account: string;
  /** closing balance and end of the newest statement that has a balance; null: there is none */
  says: Minor | null;
  saysAt: string | null;
  /** held for pending payouts, and for items of started batches that are not payouts yet */
  promised: Minor;
  /** scheduled batches, for which nothing is held */
  scheduled: Minor;
  /** net outflow per hour; below zero: more came in */
  mean24h: Minor;
  /** the statement's balance plus movements since, less what is promised */
  left: Minor | null;
  /** at the rate of the last 24 h; null: never */
  dryAt: string | null;
};

/** An entry and its `movement_entries` row differ in time only if a statement showed the movement first. */
const FLOAT = `
  WITH said AS (
    SELECT a.account, s.closing, s.to_at FROM unnest($1::text[]) AS a (account)
    LEFT JOIN LATERAL (SELECT closing, to_at FROM statements
      WHERE account = a.account AND voided_by IS NULL AND closing IS NOT NULL
      ORDER BY to_at DESC LIMIT 1) s ON true),
  ours AS MATERIALIZED (
    SELECT -e.amount AS amount,
      CASE WHEN m.at IS NULL THEN e.at
        ELSE (SELECT v.at FROM movement_entries v WHERE v.entry_id = e.id) END AS at
    FROM entries e
    CROSS JOIN LATERAL (SELECT account, connection, at FROM movements WHERE id = e.movement_id OFFSET 0) m
    WHERE e.at >= (SELECT least(now() - interval '24 hours', max(to_at)) FROM said) - interval '1 hour'
      AND e.ledger_account_id IN (SELECT id FROM ledger_accounts WHERE code = ANY($2))
      AND (m.account = ANY($1)
        OR m.account IS NULL AND (m.connection IS NULL OR $3::text[] IS NULL OR m.connection = ANY($3)))),
  waiting AS (
    SELECT coalesce(sum(i.amount) FILTER (WHERE b.status <> 'scheduled'), 0) AS held,
      coalesce(sum(i.amount) FILTER (WHERE b.status = 'scheduled'), 0) AS scheduled
    FROM batches b JOIN batch_items i ON i.batch_id = b.id
    WHERE b.status IN ('scheduled', 'running', 'paused') AND b.finished_at IS NULL
      AND ('clearing:' || i.channel || ':' || b.currency) = ANY($2)
      AND ($3::text[] IS NULL OR b.routes -> i.channel ->> 'connection' = ANY($3))
      AND NOT EXISTS (SELECT FROM transactions t WHERE t.id = i.transaction_id)),
  sums AS MATERIALIZED (
    SELECT waiting.scheduled, waiting.held + (SELECT coalesce(sum(t.amount), 0) FROM transactions t
      WHERE t.status = 'pending' AND t.type IN ('payout', 'payback')
        AND ('clearing:' || t.channel || ':' || t.currency) = ANY($2)
        AND ($3::text[] IS NULL OR t.connection = ANY($3))) AS promised,
      coalesce((SELECT -sum(amount) FROM ours WHERE at >= now() - interval '24 hours'), 0) / 24 AS mean,
      (SELECT sum(closing) FROM said
        HAVING count(closing) = count(*)) + coalesce((SELECT sum(amount) FROM ours
          WHERE at >= (SELECT max(to_at) FROM said)), 0) AS stock FROM waiting)
  SELECT said.account, said.closing AS says,
  said.to_at AS "saysAt", promised::bigint AS promised, scheduled::bigint AS scheduled,
  round(mean)::bigint AS "mean24h",
    (stock - promised)::bigint AS left,
    CASE WHEN mean >= 1 AND (stock - promised) / mean < 8760
      THEN now() + greatest(0, (stock - promised) / mean) * interval '1 hour' END AS "dryAt"
  FROM said CROSS JOIN sums ORDER BY said.account /* never null: account, promised, scheduled, mean24h */`;

/** A group's accounts pay together. */
export async function floatOf(db: Queryable, group: Proven): Promise<Float[]> {
  const [accounts, books, connections] = valuesOf(group);
  const { rows } = await db.query(FLOAT, [accounts, books, connections]);
  return rows as Float[];
}
