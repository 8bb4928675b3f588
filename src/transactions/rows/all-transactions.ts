import { GatewayError } from '../../domain/errors.ts';
import { kinds, type Mode } from '../../domain/kinds.ts';
import type { Transaction } from '../../domain/transaction.ts';
import { COUNTED_MAX, readList } from '../../platform/db/listing.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { only } from '../../platform/db/rows.ts';
import { transactionColumns } from './columns.ts';
import { toTransaction } from './read-transaction.ts';

/** All filters must match. Times are UTC, amounts are minor units. Bounds are inclusive, except `to`. */
export type AllFilter = {
  from: string;
  to: string;
  channel?: string | undefined;
  status?: string | undefined;
  modes?: readonly Mode[] | undefined;
  accountIds?: readonly string[] | undefined;
  amountMin?: number | undefined;
  amountMax?: number | undefined;
};

/** The last item of a page; the next page begins after it. */
export type Place = { createdAt: string; id: string };
export type Sum = { direction: 'in' | 'out'; status: string; count: number; amount: number };

const MATCHING = `FROM transactions t WHERE t.created_at >= $1::timestamptz AND t.created_at < $2::timestamptz
  AND ($3::text IS NULL OR t.channel = $3) AND ($4::text IS NULL OR t.status = $4)
  AND ($5::text[] IS NULL OR t.mode = ANY ($5)) AND ($6::uuid[] IS NULL OR t.account_id = ANY ($6))
  AND ($7::bigint IS NULL OR t.amount >= $7) AND ($8::bigint IS NULL OR t.amount <= $8)` as const;

const PART = `WITH part AS (
    SELECT t.id ${MATCHING} AND ($9::timestamptz IS NULL OR (t.created_at, t.id) < ($9, $10::uuid))
    ORDER BY t.created_at DESC, t.id DESC LIMIT $11)
  SELECT ${transactionColumns}, (SELECT a.name FROM accounts a WHERE a.id = t.account_id) AS merchant
  FROM part JOIN transactions t ON t.id = part.id ORDER BY t.created_at DESC, t.id DESC` as const;

const SUMS = `SELECT t.mode, t.status, count(*) AS count, sum(t.amount)::bigint AS amount ${MATCHING}
  GROUP BY t.mode, t.status ORDER BY t.mode, t.status /* never null: amount */` as const;

const COUNTED = `SELECT count(*) AS count FROM (SELECT t.id ${MATCHING} LIMIT $9) counted` as const;

function valuesOf(filter: AllFilter) {
  const { channel = null, status = null, modes = null, accountIds = null } = filter;
  const { from, to, amountMin = null, amountMax = null } = filter;
  return [from, to, channel, status, modes, accountIds, amountMin, amountMax] as const;
}

export const directionOf = (mode: Mode): Sum['direction'] =>
  kinds[mode].direction === 'collection' ? 'in' : 'out';

/** Reads a page, newest first, with the names of merchants. Throws `validation_failed` beyond 2 s. */
export function readAll(
  database: Database,
  { filter, after, count }: { filter: AllFilter; after: Place | null; count: number },
): Promise<{ transaction: Transaction; merchant: string | null }[]> {
  const values = [...valuesOf(filter), after?.createdAt ?? null, after?.id ?? null, count] as const;
  return readIndex(database, async (db) => {
    const { rows } = await db.query(PART, values);
    return rows.map((row) => ({ transaction: toTransaction(row), merchant: row.merchant }));
  });
}

/** Sums by direction and status. If that takes over 2 s, `moreThan` is a lower bound of the count instead. */
export async function sumAll(
  database: Database,
  filter: AllFilter,
): Promise<{ sums: Sum[]; moreThan: null } | { sums: null; moreThan: number }> {
  const values = valuesOf(filter);
  const rows = await inTime(readIndex(database, async (db) => (await db.query(SUMS, values)).rows));
  if (rows === null) {
    const counted = await inTime(
      readIndex(database, async (db) => only((await db.query(COUNTED, [...values, COUNTED_MAX + 1])).rows)),
    );
    return { sums: null, moreThan: Math.min(counted?.count ?? 0, COUNTED_MAX) };
  }
  const sums = new Map<string, Sum>();
  for (const { mode, status, count, amount } of rows) {
    const direction = directionOf(mode as Mode);
    const sum = sums.get(`${direction} ${status}`) ?? { direction, status, count: 0, amount: 0 };
    sums.set(`${direction} ${status}`, { ...sum, count: sum.count + count, amount: sum.amount + amount });
  }
  return { sums: [...sums.values()], moreThan: null };
}

/** Forbids bitmap scans: for a rare amount they read most of the table. The index covers all filters. */
function readIndex<T>(database: Database, read: (db: Queryable) => Promise<T>): Promise<T> {
  return readList(database, async (db) => {
    await db.query('SET LOCAL enable_bitmapscan = off');
    return read(db);
  });
}

/** Returns null if reading takes longer than a list may. */
async function inTime<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch((error) => {
    if (error instanceof GatewayError && error.code === 'validation_failed') return null;
    throw error;
  });
}
