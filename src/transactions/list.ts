import type { Database } from '../db/pool.ts';
import type { Transaction } from '../domain/transaction.ts';
import { browseTransactions } from './list-browse.ts';
import { isSearch, searchTransactions } from './list-search.ts';

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
 * (docs/decisions/0006-lists-count-ahead.md). A page beyond the last is empty.
 */
export function listTransactions(database: Database, query: ListQuery): Promise<Listed> {
  return isSearch(query.filter) ? searchTransactions(database, query) : browseTransactions(database, query);
}
