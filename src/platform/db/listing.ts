import pg from 'pg';
import { GatewayError } from '../../domain/errors.ts';
import { say } from '../../domain/messages.ts';
import type { Database, Queryable, RowOf } from './pool.ts';
import { only } from './rows.ts';
import type { Statement } from './statements/index.d.ts';
import { type ConnectionOf, inSnapshot } from './transaction.ts';
import { queryUnlisted } from './unlisted.ts';

export type Page = { page: number; perPage: number };

export type Listed<T> = {
  items: T[];
  total: number;
  /** counting stopped at `total`, so there are more */
  totalIsMinimum: boolean;
};

/** Counting a million rows takes longer than reading a page of them. */
export const COUNTED_MAX = 100_000;

const LIST_TIMEOUT_MS = 2_000;
const STATEMENT_CANCELED = '57014';

/** Counts in a second query, so that even a page beyond the last shows the total. Only for short lists. */
export async function readPage<const T extends Statement>(
  db: Queryable,
  { text, values = [], order }: { text: T; values?: unknown[]; order: string },
  { page, perPage }: Page,
): Promise<Listed<RowOf<T>>> {
  const name = 'a page of a list of operators';
  const [limit, offset] = [values.length + 1, values.length + 2];
  const { rows: items } = await queryUnlisted<RowOf<T>>(
    db,
    name,
    `${text} ORDER BY ${order} LIMIT $${limit} OFFSET $${offset}`,
    [...values, perPage, (page - 1) * perPage],
  );
  const counted = `SELECT count(*) AS total FROM (${text}) listed`;
  const { rows } = await queryUnlisted<{ total: number }>(db, name, counted, values);
  return { items, total: only(rows).total, totalIsMinimum: false };
}

export function totalOf(counted: number, max: number): Omit<Listed<never>, 'items'> {
  return { total: Math.min(counted, max), totalIsMinimum: counted > max };
}

/** Reads in one snapshot. Throws `validation_failed` after 2 s. */
export async function readList<T, D extends Database>(
  database: D,
  read: (db: ConnectionOf<D>) => Promise<T>,
): Promise<T> {
  try {
    return await inSnapshot(database, { statementTimeoutMs: LIST_TIMEOUT_MS }, read);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === STATEMENT_CANCELED) throw tooLong();
    throw error;
  }
}

function tooLong(): GatewayError {
  return new GatewayError('validation_failed', say('list_too_slow'), {
    errors: ['from', 'to'].map((field) => ({ field, message: say('must_be_nearer') })),
  });
}
