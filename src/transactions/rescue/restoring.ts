import { InsufficientFunds } from '../../domain/errors.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { inTransaction } from '../../platform/db/transaction.ts';

/** `uncovered`: this copy's balance does not cover the hold; a top-up may be lost too. */
export type Restored = 'restored' | 'there' | 'uncovered' | 'account_unknown';

/** Runs `work` in one transaction, if the account has the key. `isDry`: rolls back and only reports. */
export async function restoring(
  database: Database,
  { apiKeyId, accountId }: { apiKeyId: string; accountId: string },
  isDry: boolean,
  work: (db: Queryable) => Promise<'restored' | 'there'>,
): Promise<Restored> {
  let restored: Restored = 'account_unknown';
  try {
    return await inTransaction(database, async (db) => {
      const key = await db.query('SELECT FROM api_keys WHERE id = $1 AND account_id = $2', [
        apiKeyId,
        accountId,
      ]);
      if (key.rowCount === 1) restored = await work(db);
      if (isDry) throw new DryRun();
      return restored;
    });
  } catch (error) {
    if (error instanceof DryRun) return restored;
    if (error instanceof InsufficientFunds) return 'uncovered';
    throw error;
  }
}

class DryRun extends Error {}
