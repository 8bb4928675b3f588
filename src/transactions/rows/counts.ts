import { readList } from '../../platform/db/listing.ts';
import type { Database } from '../../platform/db/pool.ts';

export type Counts = {
  transactions: { type: string; mode: string; channel: string; status: string; count: number }[];
  attention: { reason: string; count: number }[];
};

/** `hours` limits only the transactions. Throws `validation_failed` beyond 2 s. */
export function countLately(database: Database, hours: number): Promise<Counts> {
  return readList(database, async (db) => {
    const transactions = await db.query(
      `SELECT type, mode, channel, status, count(*) AS count FROM transactions
       WHERE created_at >= now() - make_interval(hours => $1) GROUP BY type, mode, channel, status
       ORDER BY type, mode, channel, status`,
      [hours],
    );
    const attention = await db.query(
      `SELECT reason, count(*) AS count FROM attention WHERE resolved_at IS NULL GROUP BY reason
       ORDER BY reason`,
    );
    return { transactions: transactions.rows, attention: attention.rows } as Counts;
  });
}
