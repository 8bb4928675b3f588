import type { Queryable } from '../db/pool.ts';
import type { Listed } from './list.ts';
import { toTransaction, transactionColumns } from './store.ts';

/** What is asked for: all facets (list-facets.ts) at once, in a range of created_at, and the place of the page. */
export type Asked = {
  accountId: string;
  facets: string[];
  /** inclusive */
  from: string;
  /** exclusive */
  to: string;
  offset: number;
  limit: number;
};

/**
 * The total and the page in one statement, over the tables of migrations/0003_lists.sql. Blocks and recent transactions
 * are counted in the list's order; the page is then looked for in the few pieces that it lies in.
 */
export async function readPage(db: Queryable, asked: Asked): Promise<Listed> {
  const { accountId, facets, from, to, offset, limit } = asked;
  const values = [accountId, facets, from, to, offset, limit];
  const { rows } = await db.query({ name: 'list', text: statement, values });
  return { items: rows.filter((row) => row.id !== null).map(toTransaction), total: rows[0]?.total ?? 0 };
}

/** A key means one transaction at most. */
export async function readByKey(db: Queryable, asked: Asked, idempotencyKey: string): Promise<Listed> {
  const { accountId, facets, from, to, offset } = asked;
  const { rows } = await db.query(
    `SELECT ${transactionColumns} FROM idempotency_keys k JOIN transactions t ON t.id = k.transaction_id
     WHERE k.account_id = $1 AND k.key = $5 AND transaction_facets(t) @> $2 AND t.created_at >= $3 AND t.created_at < $4`,
    [accountId, facets, from, to, idempotencyKey],
  );
  return { items: offset === 0 ? rows.map(toTransaction) : [], total: rows.length };
}

const isRecent = 'r.account_id = $1 AND r.facets @> $2 AND r.created_at >= $3 AND r.created_at < $4';
const isOnTop = `${isRecent} AND r.created_at > (SELECT at FROM newest)`;

/**
 * What matches: the bits of each block that has all facets, and the recent transactions. Most of these are newer than
 * every block: cell 0. One that came late lies in a block, or next below it, and belongs to its cell.
 */
const matching = `
  newest AS MATERIALIZED (SELECT coalesce(max(newest_at), '-infinity') AS at FROM list_blocks WHERE account_id = $1),
  late AS MATERIALIZED (
    SELECT r.created_at AS at, r.transaction_id AS id, coalesce(above.id, 0) AS cell,
      coalesce(above.newest_at, 'infinity') AS newest_at, above.newest_id
    FROM list_recent r LEFT JOIN LATERAL (
      SELECT b.id, b.newest_at, b.newest_id FROM list_blocks b
      WHERE b.account_id = $1 AND (b.newest_at, b.newest_id) >= (r.created_at, r.transaction_id)
      ORDER BY b.newest_at, b.newest_id LIMIT 1) above ON true
    WHERE ${isRecent} AND r.created_at <= (SELECT at FROM newest)
  ), having_all AS (
    SELECT block_id, bit_and(block_bits(start, bits)) AS bits FROM list_bits
    WHERE account_id = $1 AND facet = ANY($2) GROUP BY block_id HAVING count(*) = cardinality($2::text[])
  ), blocks AS MATERIALIZED (
    SELECT b.id AS cell, b.newest_at, b.newest_id, CASE WHEN b.newest_at < $4 AND b.oldest_at >= $3 THEN h.bits ELSE h.bits & (
        SELECT block_bits(count(*) FILTER (WHERE time >= $4)::integer,
          repeat('1', (count(*) FILTER (WHERE time >= $3 AND time < $4))::integer)::bit varying) FROM unnest(b.times) time) END AS bits
    FROM having_all h JOIN list_blocks b ON b.id = h.block_id WHERE b.newest_at >= $3 AND b.oldest_at < $4
  )`;

/** The cells are counted in the list's order; then the page is put together from the few cells that it lies in. */
const statement = `WITH ${matching}, counted AS MATERIALIZED (
    SELECT cell, sum(n) AS n, sum(sum(n)) OVER (ORDER BY newest_at DESC, newest_id DESC) AS reached FROM (
      SELECT 0 AS cell, 'infinity' AS newest_at, NULL AS newest_id, count(*)::integer AS n FROM list_recent r WHERE ${isOnTop}
      UNION ALL SELECT cell, newest_at, newest_id, count(*)::integer FROM late GROUP BY cell, newest_at, newest_id
      UNION ALL SELECT cell, newest_at, newest_id, bit_count(bits)::integer FROM blocks) parts
    GROUP BY cell, newest_at, newest_id
  ), near AS MATERIALIZED (
    SELECT cell, reached - n AS before FROM counted WHERE reached > $5 AND reached - n < $5::bigint + $6
  ), members AS (
    (SELECT r.created_at AS at, r.transaction_id AS id FROM list_recent r WHERE ${isOnTop} AND (SELECT min(cell) FROM near) = 0
    ORDER BY r.created_at DESC, r.transaction_id DESC LIMIT $5::bigint + $6)
    UNION ALL
    SELECT late.at, late.id FROM near JOIN late USING (cell)
    UNION ALL
    SELECT list.times[bit.place], list.ids[bit.place] FROM near JOIN blocks b USING (cell)
    -- Joining an empty array reads a stored one once, and not again for every element.
    CROSS JOIN LATERAL (SELECT ids || '{}'::uuid[] AS ids, times || '{}'::timestamptz[] AS times FROM list_blocks WHERE id = cell OFFSET 0) list
    -- Between two ones are the zeros.
    CROSS JOIN LATERAL (
      SELECT sum(length(zeros) + 1) OVER (ORDER BY nth) AS place FROM string_to_table(b.bits::text, '1') WITH ORDINALITY s (zeros, nth)
      LIMIT least(bit_count(b.bits), $5::bigint + $6 - near.before)) bit
  ), page AS (
    SELECT id FROM members ORDER BY at DESC, id DESC LIMIT $6 OFFSET $5::bigint - coalesce((SELECT min(before) FROM near), 0)
  )
  SELECT all_of_it.total, ${transactionColumns}
  FROM (SELECT coalesce(sum(n), 0)::bigint AS total FROM counted) all_of_it
  LEFT JOIN (page JOIN transactions t ON t.id = page.id) ON true
  ORDER BY t.created_at DESC, t.id DESC`;
