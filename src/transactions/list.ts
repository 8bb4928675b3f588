import type { Database } from '../db/pool.ts';
import { inSnapshot } from '../db/transaction.ts';
import type { Transaction } from '../domain/transaction.ts';
import { facetsOf } from './list-facets.ts';
import { readByKey, readPage } from './list-page.ts';

/** What a list is narrowed by; everything that is given must hold. Times are UTC with six decimals and `Z`. */
export type TransactionFilter = {
  types?: string[] | undefined;
  status?: string | undefined;
  mode?: string | undefined;
  channel?: string | undefined;
  bic?: string | undefined;
  /** payment number, control number, payout reference or the channel's reference, exactly */
  reference?: string | undefined;
  msisdn?: string | undefined;
  idempotencyKey?: string | undefined;
  /** [key, value]: the item's text, or the compact JSON of what is no string */
  metadata?: [string, string][] | undefined;
  /** inclusive, on created_at */
  from?: string | undefined;
  /** exclusive */
  to?: string | undefined;
};

export type Page = { page: number; perPage: number };

export type ListQuery = { accountId: string; filter: TransactionFilter } & Page;

export type Listed = { items: Transaction[]; total: number };

/**
 * One page of an account's transactions, newest first, and how many there are in all: both of one moment, and exact
 * (docs/decisions/0006-lists-are-bitmaps.md). A page beyond the last is empty.
 */
export function listTransactions(database: Database, query: ListQuery): Promise<Listed> {
  const { accountId, filter, page, perPage } = query;
  const { idempotencyKey, from = '-infinity', to = 'infinity' } = filter;
  const asked = {
    accountId,
    facets: facetsOf(filter),
    from,
    to,
    offset: (page - 1) * perPage,
    limit: perPage,
  };
  return inSnapshot(database, (db) =>
    idempotencyKey === undefined ? readPage(db, asked) : readByKey(db, asked, idempotencyKey),
  );
}
