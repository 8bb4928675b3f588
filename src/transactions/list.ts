import type { Queryable } from '../db/pool.ts';
import type { Transaction } from '../domain/transaction.ts';
import { toTransaction, transactionColumns } from './store.ts';

/** What a list is narrowed by; everything that is given must hold. Times are ISO 8601. */
export type TransactionFilter = {
  types?: string[];
  status?: string;
  mode?: string;
  channel?: string;
  bic?: string;
  /** payment number, control number, payout reference or the channel's reference, exactly */
  reference?: string;
  msisdn?: string;
  idempotencyKey?: string;
  /** [key, value]: the item's text, or the compact JSON of what is no string */
  metadata?: [string, string][];
  /** inclusive, on created_at */
  from?: string;
  /** exclusive */
  to?: string;
};

export type Page = { page: number; perPage: number };

/** One page of an account's transactions, newest first, and how many there are in all. */
export async function listTransactions(
  db: Queryable,
  options: { accountId: string; filter: TransactionFilter } & Page,
): Promise<{ items: Transaction[]; total: number }> {
  const { where, parameters } = conditionsOf(options.accountId, options.filter);
  const counted = await db.query(`SELECT count(*) AS total FROM transactions t WHERE ${where}`, parameters);
  const total: number = counted.rows[0].total;
  const offset = (options.page - 1) * options.perPage;
  if (offset >= total) return { items: [], total };
  const { rows } = await db.query(
    `SELECT ${transactionColumns} FROM transactions t WHERE ${where}
     ORDER BY t.created_at DESC, t.id DESC LIMIT $${parameters.length + 1} OFFSET $${parameters.length + 2}`,
    [...parameters, options.perPage, offset],
  );
  return { items: rows.map(toTransaction), total };
}

function conditionsOf(accountId: string, filter: TransactionFilter) {
  const parameters: unknown[] = [accountId];
  const conditions = ['t.account_id = $1'];
  /** `?` stands for the value's parameter */
  const add = (condition: string, value: unknown) => {
    if (value === undefined) return;
    parameters.push(value);
    conditions.push(condition.replaceAll('?', `$${parameters.length}`));
  };
  add('t.type = ANY(?)', filter.types);
  add('t.status = ?', filter.status);
  add('t.mode = ?', filter.mode);
  add('t.channel = ?', filter.channel);
  add('t.bic = ?', filter.bic);
  add('(t.reference = ? OR t.channel_reference = ?)', filter.reference);
  add('t.msisdn = ?', filter.msisdn);
  add(
    't.id IN (SELECT k.transaction_id FROM idempotency_keys k WHERE k.account_id = $1 AND k.key = ?)',
    filter.idempotencyKey,
  );
  add('t.created_at >= ?', filter.from);
  add('t.created_at < ?', filter.to);
  for (const [key, value] of filter.metadata ?? []) {
    parameters.push(key, value);
    conditions.push(`t.metadata::json ->> $${parameters.length - 1}::text = $${parameters.length}`);
  }
  return { where: conditions.join(' AND '), parameters };
}
