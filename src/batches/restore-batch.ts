import type { BatchRun } from '../domain/batch.ts';
import { inEnglish, say } from '../domain/messages.ts';
import { placeBatchHold } from '../ledger/hold.ts';
import type { Database, Queryable } from '../platform/db/pool.ts';
import { countItems } from '../transactions/acceptance/limits.ts';
import { type Restored, restoring } from '../transactions/rescue/restoring.ts';
import { insertDraft } from './batch-drafts.ts';
import { cancelFor, findBatch, lockBatch, setHeld } from './batch-store.ts';

/**
 * Brings a batch back that was started before commits were lost, with its hold: paused, because it may have been cancelled
 * since. Its rows are those of the copy, where they are the same; else those whose payouts come back. One that waited for its
 * time had no payouts: it is a draft again where the copy has its rows; else nobody knows whom it was for, and it comes back
 * cancelled. Run twice it changes nothing.
 */
export function restoreBatch(
  database: Database,
  run: BatchRun,
  { isHeld, isDry }: { isHeld: boolean; isDry: boolean },
): Promise<Restored> {
  return restoring(database, run, isDry, async (db) => {
    const { batchId: id, accountId, currency, batchNumber: reference, amount: value, fees: fee } = run;
    const before = await lockBatch(db, id);
    const isSame = before?.itemsHash === run.itemsHash;
    if (before && before.startedAt !== null) return 'there';
    if (before && !isHeld && (before.status !== 'draft' || isSame)) return noteDraft(db, run);
    if (before && !isSame) await db.query('DELETE FROM batches WHERE id = $1', [id]);
    if (!isSame && !(await insertDraft(db, { ...run, id, columns: null })))
      throw new Error(`batch ${id} was made by somebody else meanwhile`);
    if (!isHeld) {
      const rows = run.items === 1 ? '1' : `1–${run.items}`;
      await cancelFor(db, id, say('batch_lost_rows', { rows }));
      return 'restored';
    }
    await db.query(
      `UPDATE batches SET status = 'paused', status_reason = $2, started_by = $3, started_at = now(), routes = $4,
         finished_at = NULL, updated_at = now(), due_at = now() WHERE id = $1`,
      [id, PAUSED, run.startedBy, run.routes],
    );
    const batch = await findBatch(db, { id, accountId });
    if (batch) await countItems(db, batch, batch.startedAt ?? batch.createdAt);
    await setHeld(db, id, value + fee);
    await placeBatchHold(db, { batchId: id, accountId, currency, reference, value, fee });
    return 'restored';
  });
}

/** The copy is older than its start, which somebody has to repeat: as one that was started it is not dropped for its age. */
async function noteDraft(db: Queryable, { batchId, startedBy }: BatchRun): Promise<'there'> {
  await db.query(
    "UPDATE batches SET status_reason = $2, started_by = $3 WHERE id = $1 AND status = 'draft'",
    [batchId, PAUSED, startedBy],
  );
  return 'there';
}

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
