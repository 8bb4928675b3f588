import assert from 'node:assert/strict';
import type { Queryable } from '../../src/db/pool.ts';

/** Makes small blocks of all but the newest few of what is recent, where the service makes large ones. */
export async function closeBlocks(db: Queryable, accountId: string): Promise<void> {
  await db.query('SELECT close_list_blocks($1, openings => 3, size => 8, spare => 5)', [accountId]);
}

/** Every transaction of the account is listed once, at its time, in a block or as a recent one, with the facets that it has. */
export async function assertListed(db: Queryable, accountId: string): Promise<void> {
  const { rows: wrong } = await db.query(
    `SELECT id, created_at, facet, listed FROM (
       SELECT id, created_at, facet, count(*) AS listed FROM (
         SELECT transaction_id AS id, created_at, facet FROM list_recent CROSS JOIN unnest(facets) facet WHERE account_id = $1
         UNION ALL
         SELECT b.ids[place], b.times[place], l.facet FROM list_blocks b JOIN list_bits l ON l.account_id = $1 AND l.block_id = b.id
         CROSS JOIN generate_series(1, cardinality(b.ids)) place
         WHERE b.account_id = $1 AND get_bit(block_bits(l.start, l.bits), place - 1) = 1
       ) one GROUP BY id, created_at, facet
     ) lists FULL JOIN (
       SELECT id, created_at, facet FROM transactions t CROSS JOIN unnest(transaction_facets(t)) facet WHERE account_id = $1
     ) truth USING (id, created_at, facet)
     WHERE listed IS DISTINCT FROM 1 OR truth.id IS NULL LIMIT 5`,
    [accountId],
  );
  assert.deepEqual(wrong, []);
  const { rows: left } = await db.query(
    'SELECT facet FROM list_bits WHERE account_id = $1 AND block_id NOT IN (SELECT id FROM list_blocks WHERE account_id = $1)',
    [accountId],
  );
  assert.deepEqual(left, []);
  const { rows: overlapping } = await db.query(
    `SELECT a.id FROM list_blocks a JOIN list_blocks b ON a.account_id = b.account_id AND a.id <> b.id
       AND (a.newest_at, a.newest_id) >= (b.oldest_at, b.oldest_id) AND (a.newest_at, a.newest_id) <= (b.newest_at, b.newest_id)
     WHERE a.account_id = $1`,
    [accountId],
  );
  assert.deepEqual(overlapping, []);
}
