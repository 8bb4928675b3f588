import type pg from 'pg';
import type { Queryable } from './pool.ts';

/** These texts are built at run time. All others are in statements/. */
export type Unlisted =
  | 'a page of a list of operators'
  | 'a list of transactions'
  | 'a list of callbacks'
  | 'the rules of the books'
  | 'what is searched'
  | 'rows by their proof'
  | 'the roles of Postgres'
  | 'a new database';

/** Runs a text that the compiler does not check: the caller must give the right row type. */
export function queryUnlisted<R>(
  db: Queryable,
  _name: Unlisted,
  text: string,
  values: readonly unknown[] = [],
): Promise<{ rows: R[]; rowCount: number | null }> {
  return (db as unknown as pg.ClientBase).query(text, [...values]) as never;
}
