import { GatewayError } from '../../domain/errors.ts';
import { isUuid } from '../../domain/ids.ts';
import type { Transaction } from '../../domain/transaction.ts';
import { getTransaction } from '../../transactions/rows/store.ts';
import type { Context } from './call.ts';

export async function requireTransaction({ deps, id }: Pick<Context, 'deps' | 'id'>): Promise<Transaction> {
  const transaction = isUuid(id) ? await getTransaction(deps.database, id.toLowerCase()) : null;
  if (transaction === null) throw new GatewayError('not_found', `There is no transaction ${id}`);
  return transaction;
}
