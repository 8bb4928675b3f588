import type { Database, Queryable } from '../../db/pool.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { BatchRun } from '../../domain/batch.ts';
import { InsufficientFunds } from '../../domain/errors.ts';
import { inEnglish, say } from '../../domain/messages.ts';
import { placeBatchHold } from '../../ledger/hold.ts';
import { count } from '../acceptance/batch-checks.ts';
import { insertDraft } from '../acceptance/batch-drafts.ts';
import { findBatch, lockBatch, setHeld } from '../rows/batch-store.ts';

export type RestoredBatch = 'restored' | 'there' | 'uncovered' | 'account_unknown';

/**
 * Brings a batch back that was started before commits were lost, with its hold: paused, because it may have been cancelled
 * since. Its rows are those of the copy, where they are the same; else those whose payouts come back. One that waited for its
 * time had no payouts: it is a draft again where the copy has its rows; else nobody knows whom it was for, and it comes back
 * cancelled. Run twice it changes nothing.
 */
export async function restoreBatch(
  database: Database,
  run: BatchRun,
  { isHeld, isDry }: { isHeld: boolean; isDry: boolean },
): Promise<RestoredBatch> {
  const {
    batchId: id,
    accountId,
    apiKeyId,
    currency,
    batchNumber: reference,
    amount: value,
    fees: fee,
  } = run;
  try {
    return await inTransaction(database, async (db) => {
      const keys = await db.query('SELECT FROM api_keys WHERE id = $1 AND account_id = $2', [
        apiKeyId,
        accountId,
      ]);
      if (keys.rowCount === 0) return 'account_unknown';
      const before = await lockBatch(db, id);
      if (before && before.startedAt !== null) return 'there';
      if (before && !isHeld && (before.status !== 'draft' || before.itemsHash === run.itemsHash))
        return noteDraft(db, run, isDry);
      if (before && before.itemsHash !== run.itemsHash)
        await db.query('DELETE FROM batches WHERE id = $1', [id]);
      if (before?.itemsHash !== run.itemsHash)
        requireMade(await insertDraft(db, { ...run, id, columns: null }), id);
      if (!isHeld) {
        await cancelLost(db, run);
        if (isDry) throw new DryRun();
        return 'restored';
      }
      await db.query(
        `UPDATE batches SET status = 'paused', status_reason = $2, started_by = $3, started_at = now(), routes = $4,
           finished_at = NULL, updated_at = now(), due_at = now() WHERE id = $1`,
        [id, PAUSED, run.startedBy, run.routes],
      );
      const batch = await findBatch(db, { id, accountId });
      if (batch) await count(db, batch, batch.startedAt ?? batch.createdAt);
      await setHeld(db, id, value + fee);
      await placeBatchHold(db, { batchId: id, accountId, currency, reference, value, fee });
      if (isDry) throw new DryRun();
      return 'restored';
    });
  } catch (error) {
    if (error instanceof DryRun) return 'restored';
    if (error instanceof InsufficientFunds) return 'uncovered';
    throw error;
  }
}

function requireMade(isMade: boolean, id: string): void {
  if (!isMade) throw new Error(`batch ${id} was made by somebody else meanwhile`);
}

/** The copy is older than its start, which somebody has to repeat: as one that was started it is not dropped for its age. */
async function noteDraft(db: Queryable, { batchId, startedBy }: BatchRun, isDry: boolean): Promise<'there'> {
  if (!isDry)
    await db.query(
      "UPDATE batches SET status_reason = $2, started_by = $3 WHERE id = $1 AND status = 'draft'",
      [batchId, PAUSED, startedBy],
    );
  return 'there';
}

/** Its flow ends it after the lift, and tells the merchant. */
async function cancelLost(db: Queryable, { batchId, items }: BatchRun): Promise<void> {
  const lost = inEnglish(say('batch_lost_rows', { rows: items === 1 ? '1' : `1–${items}` }));
  await db.query(
    "UPDATE batches SET status = 'cancelled', status_reason = $2, updated_at = now() WHERE id = $1",
    [batchId, lost],
  );
}

/** Takes everything back. */
class DryRun extends Error {}

const PAUSED = inEnglish(say('batch_restored'));

/**
 * Before the fence is lifted: what ran is paused, and what waits for its time is a draft again. Either may have been cancelled
 * after the copy was made, so nothing more leaves until somebody says so.
 */
export async function pauseBatches(db: Queryable): Promise<void> {
  await db.query(
    `UPDATE batches SET status = CASE WHEN status = 'running' THEN 'paused' ELSE 'draft' END, status_reason = $1, updated_at = now()
     WHERE status IN ('running', 'scheduled')`,
    [PAUSED],
  );
}
