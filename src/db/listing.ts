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

/** What a count that stopped one row after `max` says. */
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
