import type { Row } from '../db/pool.ts';
import type { Listed, ListQuery, TransactionFilter } from './list.ts';
import { toTransaction, transactionColumns } from './store.ts';

/** What both ways of listing build their SQL from. */

/** The values of a statement, in order; `add` gives a value's place (`$3`). */
export function createParameters() {
  const values: unknown[] = [];
  return {
    values,
    add(value: unknown): string {
      values.push(value);
      return `$${values.length}`;
    },
  };
}
export type Parameters = ReturnType<typeof createParameters>;

/** The bounds on created_at; always both, so that every plan can use them. */
export function isWithin(
  column: string,
  range: Pick<TransactionFilter, 'from' | 'to'>,
  parameters: Parameters,
): string {
  const from = parameters.add(range.from ?? '-infinity');
  const to = parameters.add(range.to ?? 'infinity');
  return `${column} >= ${from}::timestamptz AND ${column} < ${to}::timestamptz`;
}

/** Type, mode, channel and bank, which transactions and their counts have alike; null when any will do. */
export function isOfKind(alias: string, filter: TransactionFilter, parameters: Parameters): string | null {
  const conditions: string[] = [];
  if (!hasAllTypes(filter)) conditions.push(`${alias}.type = ANY(${parameters.add(filter.types)})`);
  for (const column of ['mode', 'channel', 'bic'] as const) {
    const value = filter[column];
    if (value !== undefined) conditions.push(`${alias}.${column} = ${parameters.add(value)}`);
  }
  return conditions.join(' AND ') || null;
}

function hasAllTypes({ types }: TransactionFilter): boolean {
  return types === undefined || ['payment', 'bill', 'payout'].every((type) => types.includes(type));
}

/** Whether everything of the account is listed, apart from the range of time. */
export function isUnfiltered(filter: TransactionFilter): boolean {
  const { status, mode, channel, bic } = filter;
  return hasAllTypes(filter) && [status, mode, channel, bic].every((given) => given === undefined);
}

export const newestFirst = (alias: string) => `ORDER BY ${alias}.created_at DESC, ${alias}.id DESC`;

export const offsetOf = ({ page, perPage }: ListQuery) => (page - 1) * perPage;

/** A statement whose rows are the transactions that `page` names, each with the total; one empty row when none are. */
export function selectPage(parts: { total: string; page: string }): string {
  return `SELECT counted.total, ${transactionColumns}
    FROM (${parts.total}) counted
    LEFT JOIN ((${parts.page}) page JOIN transactions t ON t.id = page.id) ON true
    ${newestFirst('t')}`;
}

export function readListed(rows: Row[]): Listed {
  return { items: rows.filter((row) => row.id !== null).map(toTransaction), total: rows[0]?.total ?? 0 };
}
