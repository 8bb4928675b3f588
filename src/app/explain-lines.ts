import { workAtOnce } from '../base/at-once.ts';
import type { Database } from '../platform/db/pool.ts';
import type { AccountInUse } from '../reconciliation/explain.ts';
import { matchAgain } from '../reconciliation/import.ts';

/**
 * Explains waiting lines, and enquires about their pending transactions (best effort). A failing account
 * delays no other; this throws at the end, because that account's days cannot be closed.
 */
export async function explainLines(
  database: Database,
  accounts: readonly AccountInUse[],
  told: { explained(count: number): void; hint(transactionId: string): Promise<unknown> },
): Promise<void> {
  const failed: unknown[] = [];
  for (const account of accounts) {
    try {
      const { explained, hinted } = await matchAgain(database, account);
      told.explained(explained);
      await workAtOnce(hinted, async (id) => void (await told.hint(id).catch(() => false)));
    } catch (error) {
      failed.push(new Error(`the lines of ${account.id} could not be matched`, { cause: error }));
    }
  }
  if (failed.length > 0)
    throw new AggregateError(failed, `the lines of ${failed.length} accounts could not be matched`, {
      cause: failed[0],
    });
}
