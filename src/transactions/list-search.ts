import type { Database } from '../db/pool.ts';
import { inSnapshot } from '../db/transaction.ts';
import type { Listed, ListQuery, TransactionFilter } from './list.ts';
import {
  createParameters,
  isOfKind,
  isWithin,
  newestFirst,
  offsetOf,
  type Parameters,
  readListed,
  selectPage,
} from './list-sql.ts';

/** Whether the filter names something that few transactions share: those are found first, and counted. */
export function isSearch({ reference, msisdn, idempotencyKey, metadata }: TransactionFilter): boolean {
  return [reference, msisdn, idempotencyKey, metadata?.[0]].some((given) => given !== undefined);
}

/**
 * Finds by the rarest thing that is asked for, each of which has an index, and checks the rest row by row: the work
 * is that of the transactions that share this one thing, never of all that the merchant has.
 */
export async function searchTransactions(database: Database, query: ListQuery): Promise<Listed> {
  const parameters = createParameters();
  const found = foundBy(query, { parameters, account: parameters.add(query.accountId) });
  const limit = parameters.add(query.perPage);
  const offset = parameters.add(offsetOf(query));
  const statement = `WITH found AS ${found}
    ${selectPage({
      total: 'SELECT count(*) AS total FROM found',
      page: `SELECT f.id FROM found f ${newestFirst('f')} LIMIT ${limit} OFFSET ${offset}`,
    })}`;
  return inSnapshot(database, async (db) => readListed((await db.query(statement, parameters.values)).rows));
}

type Clause = { parameters: Parameters; account: string };
type Rare = 'idempotencyKey' | 'reference' | 'metadata' | 'msisdn';

/** A WITH query for the (id, created_at) of everything that matches. */
function foundBy({ filter }: ListQuery, clause: Clause): string {
  const rarest = rarestOf(filter);
  const account = `t.account_id = ${clause.account}`;
  const conditions = [...conditionsOf(filter, rarest, clause)];
  const [item] = filter.metadata ?? [];
  // The copy beside the item has the list's order, so a page of it is read without the rest.
  if (rarest === 'metadata' && item && conditions.length === 0)
    return `NOT MATERIALIZED (SELECT m.transaction_id AS id, m.created_at FROM ${withItem(item, clause)}
      AND ${isWithin('m.created_at', filter, clause.parameters)})`;
  conditions.unshift(account, isWithin('t.created_at', filter, clause.parameters));
  if (rarest === 'msisdn') {
    conditions.push(`t.msisdn = ${clause.parameters.add(filter.msisdn)}`);
    return `NOT MATERIALIZED (SELECT t.id, t.created_at FROM transactions t WHERE ${conditions.join(' AND ')})`;
  }
  return `MATERIALIZED (SELECT t.id, t.created_at FROM (${candidates(filter, rarest, clause)}) c CROSS JOIN LATERAL (
    SELECT t.id, t.created_at FROM transactions t WHERE t.id = c.id AND ${conditions.join(' AND ')} OFFSET 0) t)`;
}

function rarestOf(filter: TransactionFilter): Rare {
  if (filter.idempotencyKey !== undefined) return 'idempotencyKey';
  if (filter.reference !== undefined) return 'reference';
  return filter.metadata?.[0] ? 'metadata' : 'msisdn';
}

function candidates(filter: TransactionFilter, rarest: Rare, clause: Clause): string {
  const { parameters, account } = clause;
  const [item] = filter.metadata ?? [];
  if (rarest === 'idempotencyKey')
    return `SELECT k.transaction_id AS id FROM idempotency_keys k
      WHERE k.account_id = ${account} AND k.key = ${parameters.add(filter.idempotencyKey)}`;
  if (rarest === 'metadata' && item)
    return `SELECT m.transaction_id AS id FROM ${withItem(item, clause)} AND ${isWithin('m.created_at', filter, parameters)}`;
  return referring(filter.reference, clause);
}

/** Payment number, control number, payout reference and channel reference; of a bill, those of all its payments. */
function referring(reference: string | undefined, { parameters, account }: Clause): string {
  const place = parameters.add(reference);
  return `SELECT id FROM transactions WHERE reference = ${place}
    UNION SELECT id FROM transactions WHERE account_id = ${account} AND channel_reference = ${place}
    UNION SELECT transaction_id FROM bills WHERE control_number = ${place}
    UNION SELECT transaction_id FROM bills WHERE account_id = ${account} AND payment_number = ${place}
    UNION SELECT transaction_id FROM bill_receipts WHERE outcome = 'accepted' AND receipt = ${place}`;
}

function withItem([key, value]: [string, string], { parameters, account }: Clause): string {
  return `transaction_metadata m WHERE m.account_id = ${account} AND m.key = ${parameters.add(key)} AND m.value = ${parameters.add(value)}`;
}

/** All that is asked for besides the rarest thing, the account and the range of time. */
function* conditionsOf(filter: TransactionFilter, rarest: Rare, clause: Clause): Generator<string> {
  const { parameters } = clause;
  const kind = isOfKind('t', filter, parameters);
  if (kind) yield kind;
  if (filter.status !== undefined) yield `t.status = ${parameters.add(filter.status)}`;
  if (filter.reference !== undefined && rarest !== 'reference')
    yield `t.id IN (${referring(filter.reference, clause)})`;
  if (filter.msisdn !== undefined && rarest !== 'msisdn') yield `t.msisdn = ${parameters.add(filter.msisdn)}`;
  const items = filter.metadata ?? [];
  for (const item of rarest === 'metadata' ? items.slice(1) : items)
    yield `EXISTS (SELECT 1 FROM ${withItem(item, clause)} AND m.created_at = t.created_at AND m.transaction_id = t.id)`;
}
