import { type Funding, postFunding } from '../../src/ledger/transfer.ts';
import type { Database } from '../../src/platform/db/pool.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';

/** A merchant's money left our bank account, without the two operators who agree on it. */
export function withdraw(database: Database, funding: Funding): Promise<boolean> {
  return inTransaction(database, (db) => postFunding(db, 'withdrawal', funding));
}
