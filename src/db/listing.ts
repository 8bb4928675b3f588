import pg from 'pg';
import { GatewayError } from '../domain/errors.ts';
import type { Database, Queryable } from './pool.ts';
import { inSnapshot } from './transaction.ts';

/** `page` counts from 1. */
export type Page = { page: number; perPage: number };

export type Listed<T> = {
  items: T[];
  total: number;
  /** counting stopped at `total`: there are more */
  totalIsMinimum: boolean;
};

/** Counting stops here: to count a million rows takes longer than to read a page of them. */
export const COUNTED_MAX = 100_000;

const LIST_TIMEOUT_MS = 2_000;
const STATEMENT_CANCELED = '57014';

/**
 * One page of what `text` selects, in this order, and how many there are on all pages: counted apart, so that a page
 * beyond the last one says it, too. For lists of operators, which are short.
 */
export async function readPage(
  db: Queryable,
  { text, values = [], order }: { text: string; values?: unknown[]; order: string },
  { page, perPage }: Page,
) {
  const [limit, offset] = [values.length + 1, values.length + 2];
  const { rows: items } = await db.query(`${text} ORDER BY ${order} LIMIT $${limit} OFFSET $${offset}`, [
    ...values,
    perPage,
    (page - 1) * perPage,
  ]);
  const { rows } = await db.query(`SELECT count(*) AS total FROM (${text}) listed`, values);
  return { items, total: rows[0].total as number, totalIsMinimum: false };
}

/** The total of a count that stopped one row after `max`. */
export function totalOf(counted: number, max: number): Omit<Listed<never>, 'items'> {
  return { total: Math.min(counted, max), totalIsMinimum: counted > max };
}

/**
 * Runs the queries of one page and its total on one snapshot. Throws `validation_failed` when one of them takes longer
 * than 2 s: one merchant's search must not slow down the payments of all.
 */
export async function readList<T>(database: Database, read: (db: Queryable) => Promise<T>): Promise<T> {
  try {
    return await inSnapshot(database, { statementTimeoutMs: LIST_TIMEOUT_MS }, read);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === STATEMENT_CANCELED) throw tooLong();
    throw error;
  }
}

function tooLong(): GatewayError {
  const message = 'must be nearer to each other: this list takes too long';
  return new GatewayError('validation_failed', 'This list takes too long: narrow `from` and `to`', {
    errors: ['from', 'to'].map((field) => ({ field, message })),
  });
}
