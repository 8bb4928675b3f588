import { COUNTED_MAX, type Listed, type Page, readList, totalOf } from '../db/listing.ts';
import type { Database } from '../db/pool.ts';
import type { MerchantTransaction } from '../domain/transaction.ts';
import { isNarrow, partsOf, type TransactionFilter } from './list-filter.ts';
import { toMerchantTransaction } from './read-transaction.ts';
import { transactionColumns } from './store.ts';

export type ListQuery = { accountId: string; filter: TransactionFilter } & Page;

/** With a phone number, a reference or a metadata item counting reads the rows themselves, and stops earlier. */
const NARROW_COUNTED_MAX = 10_000;

/**
 * One page of an account's transactions, newest first, and how many there are in all, both of one moment. Counting
 * stops at 100,000, or at 10,000 with a phone number, a reference or a metadata item. A page beyond the last is empty.
 * Throws `validation_failed` for what takes longer than 2 s (docs/decisions/0009-lists-are-plain.md).
 */
export function listTransactions(database: Database, query: ListQuery): Promise<Listed<MerchantTransaction>> {
  const { accountId, filter, page, perPage } = query;
  const countedMax = isNarrow(filter) ? NARROW_COUNTED_MAX : COUNTED_MAX;
  return readList(database, async (db) => {
    const { clauses, values } = await partsOf(db, accountId, filter);
    if (clauses.length === 0) return { items: [], ...totalOf(0, countedMax) };
    const text = statementOf(clauses, { offset: (page - 1) * perPage, perPage, countedMax });
    const { rows } = await db.query(text, values);
    const items = rows.filter((row) => row.id !== null).map(toMerchantTransaction);
    return { items, ...totalOf(rows[0].counted, countedMax) };
  });
}

type Place = { offset: number; perPage: number; countedMax: number };

const NEWEST_FIRST = 'ORDER BY created_at DESC, id DESC';

/** The page is found in indexes, by keys alone; only its own rows are read. Each part is in order, so they are merged. */
function statementOf(clauses: string[], { offset, perPage, countedMax }: Place): string {
  const partsOf = (columns: string, end: string) =>
    clauses
      .map((clause) => `(SELECT ${columns} FROM transactions t WHERE ${clause} ${end})`)
      .join(' UNION ALL ');
  return `WITH counted AS (
      SELECT count(*) AS counted FROM (SELECT FROM (${partsOf('', '')}) part LIMIT ${countedMax + 1}) matching
    ), page AS (
      SELECT id FROM (${partsOf('created_at, id', `${NEWEST_FIRST} LIMIT ${offset + perPage}`)}) part
      ${NEWEST_FIRST} LIMIT ${perPage} OFFSET ${offset}
    )
    SELECT counted.counted, ${transactionColumns}
    FROM counted LEFT JOIN (page JOIN transactions t ON t.id = page.id) ON true
    ORDER BY t.created_at DESC, t.id DESC`;
}
