import type { MerchantTransaction } from '../../domain/transaction.ts';
import { COUNTED_MAX, type Listed, type Page, readList, totalOf } from '../../platform/db/listing.ts';
import type { Database } from '../../platform/db/pool.ts';
import { only } from '../../platform/db/rows.ts';
import { queryUnlisted } from '../../platform/db/unlisted.ts';
import { type TransactionRow, transactionColumns } from './columns.ts';
import { isNarrow, partsOf, type TransactionFilter } from './list-filter.ts';
import { toMerchantTransaction } from './read-transaction.ts';

export type ListQuery = { accountId: string; filter: TransactionFilter } & Page;

/** Some filters must read the rows to count, so counting stops earlier. */
const NARROW_COUNTED_MAX = 10_000;

/** ms for which a list is known to be long, so only its first page waits for the count */
const LONG_MS = 60_000;
const LONG_LISTS_MAX = 1_000;

export type ListTransactions = (query: ListQuery) => Promise<Listed<MerchantTransaction>>;

/**
 * Reads one page, newest first, and the count, both from one snapshot. Counting stops at 100,000, or at
 * 10,000 with a phone number, reference or metadata filter. Throws `validation_failed` beyond 2 s
 * (docs/decisions/0009-lists-are-plain.md).
 */
export function createTransactionList(
  database: Database,
  now: () => number = () => performance.now(),
): ListTransactions {
  const longUntil = new Map<string, number>();

  function remember(list: string): void {
    longUntil.delete(list);
    longUntil.set(list, now() + LONG_MS);
    const [oldest] = longUntil.keys();
    if (longUntil.size > LONG_LISTS_MAX && oldest !== undefined) longUntil.delete(oldest);
  }

  return (query) => {
    const { accountId, filter, page, perPage } = query;
    const countedMax = isNarrow(filter) ? NARROW_COUNTED_MAX : COUNTED_MAX;
    const list = JSON.stringify([accountId, filter]);
    const isLong = (longUntil.get(list) ?? -Infinity) > now();
    return readList(database, async (db) => {
      const { clauses, values } = await partsOf(db, accountId, filter);
      if (clauses.length === 0) return { items: [], ...totalOf(0, countedMax) };
      const place = { offset: (page - 1) * perPage, perPage, countedMax: isLong ? null : countedMax };
      const text = statementOf(clauses, place);
      const { rows } = await queryUnlisted<ListRow>(db, 'a list of transactions', text, values);
      const items = rows.filter(isOfTransaction).map(toMerchantTransaction);
      const total = totalOf(only(rows).counted ?? countedMax + 1, countedMax);
      if (total.totalIsMinimum && !isLong) remember(list);
      return { items, ...total };
    });
  };
}

type ListRow = { counted: number | null } & (TransactionRow | { [Column in keyof TransactionRow]: null });

function isOfTransaction(row: ListRow): row is ListRow & TransactionRow {
  return row.id !== null;
}

/** `countedMax`: null if nothing must be counted. */
type Place = { offset: number; perPage: number; countedMax: number | null };

const NEWEST_FIRST = 'ORDER BY created_at DESC, id DESC';

/** Finds the page by keys in indexes, then reads only its rows. */
function statementOf(clauses: string[], { offset, perPage, countedMax }: Place): string {
  const unionOf = (columns: string, end: string) =>
    clauses
      .map((clause) => `(SELECT ${columns} FROM transactions t WHERE ${clause} ${end})`)
      .join(' UNION ALL ');
  const counted =
    countedMax === null
      ? 'SELECT NULL::bigint AS counted'
      : `SELECT count(*) AS counted
        FROM (SELECT FROM (${unionOf('', '')}) part LIMIT ${countedMax + 1}) matching`;
  return `WITH counted AS (${counted}), page AS (
      SELECT id FROM (${unionOf('created_at, id', `${NEWEST_FIRST} LIMIT ${offset + perPage}`)}) part
      ${NEWEST_FIRST} LIMIT ${perPage} OFFSET ${offset}
    )
    SELECT counted.counted, ${transactionColumns}
    FROM counted LEFT JOIN (page JOIN transactions t ON t.id = page.id) ON true
    ORDER BY t.created_at DESC, t.id DESC`;
}
