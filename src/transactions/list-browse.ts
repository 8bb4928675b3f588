import type { Database } from '../db/pool.ts';
import { inSnapshot } from '../db/transaction.ts';
import type { Listed, ListQuery, TransactionFilter } from './list.ts';
import { groupsOf, locate, totalOf } from './list-counts.ts';
import {
  createParameters,
  isUnfiltered,
  isWithin,
  newestFirst,
  offsetOf,
  type Parameters,
  readListed,
  selectPage,
} from './list-sql.ts';
import { toTransaction, transactionColumns } from './store.ts';

/** Up to here a page is read from the top: that is quicker than asking the counts where it begins. */
const NEAR_OFFSET_MAX = 200;

/**
 * Lists by what is counted ahead: type, mode, status, channel, bank and time. The total is a sum of counts, and the
 * counts of days and slots say where a far page begins, so that no more is stepped over than one slot holds.
 */
export async function browseTransactions(database: Database, query: ListQuery): Promise<Listed> {
  const { from, to } = query.filter;
  const offset = offsetOf(query);
  if (from === undefined && to === undefined && offset <= NEAR_OFFSET_MAX) return readNear(database, query);
  return inSnapshot(database, async (db) => {
    const { total, place } = await locate(db, query, offset);
    if (!place) return { items: [], total };
    const parameters = createParameters();
    const range = { ...(from === undefined ? {} : { from }), to: place.until };
    const page = pageOf(query, range, offset - place.before, parameters);
    const { rows } = await db.query(
      `SELECT ${transactionColumns} FROM (${page}) page JOIN transactions t ON t.id = page.id ${newestFirst('t')}`,
      parameters.values,
    );
    return { items: rows.map(toTransaction), total };
  });
}

/** One statement, hence one moment. */
async function readNear(database: Database, query: ListQuery): Promise<Listed> {
  const parameters = createParameters();
  const statement = selectPage({
    total: totalOf(query, parameters),
    page: pageOf(query, {}, offsetOf(query), parameters),
  });
  return readListed((await database.query(statement, parameters.values)).rows);
}

/** The ids of a page; with filters from the newest of every group, since a rare one may be spread over years. */
function pageOf(
  query: ListQuery,
  range: Pick<TransactionFilter, 'from' | 'to'>,
  offset: number,
  parameters: Parameters,
): string {
  const account = parameters.add(query.accountId);
  const limit = parameters.add(query.perPage);
  const skipped = parameters.add(offset);
  const inRange = `t.account_id = ${account} AND ${isWithin('t.created_at', range, parameters)}`;
  if (isUnfiltered(query.filter))
    return `SELECT t.id, t.created_at FROM transactions t WHERE ${inRange} ${newestFirst('t')} LIMIT ${limit} OFFSET ${skipped}`;
  return `SELECT n.id, n.created_at FROM (${groupsOf(query, parameters)}) g CROSS JOIN LATERAL (
      SELECT t.id, t.created_at FROM transactions t WHERE ${inRange} AND t.list_group = g.list_group
      ${newestFirst('t')} LIMIT ${limit}::bigint + ${skipped}::bigint) n
    ${newestFirst('n')} LIMIT ${limit}::bigint OFFSET ${skipped}::bigint`;
}
