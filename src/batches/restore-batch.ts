import { keepOwnFees } from '../accounts/fees.ts';
import { type BatchRun, storeMessage } from '../domain/batch.ts';
import { say } from '../domain/messages.ts';
import { placeBatchHold } from '../ledger/hold.ts';
import type { Database, Queryable } from '../platform/db/pool.ts';
import { NOW, update } from '../platform/db/write.ts';
import { countItems } from '../transactions/acceptance/limits.ts';
import { type Restored, restoring } from '../transactions/rescue/restoring.ts';
import { insertDraft } from './batch-drafts.ts';
import { cancelFor, lockBatch, setFees, setHeld, signStart } from './batch-store.ts';

/**
 * Restores a batch that was started before commits were lost, with its hold, fees and start day. It is
 * paused, because it may have been cancelled since. Its rows come from this copy if they are the same, else
 * from its restored payouts. A scheduled batch had no payouts: it becomes a draft if this copy has its rows,
 * otherwise it is cancelled, because its recipients are unknown. Idempotent.
 */
export function restoreBatch(
  database: Database,
  run: BatchRun,
  { isDry }: { isDry: boolean },
): Promise<Restored> {
  return restoring(database, run, isDry, async (db) => {
    const { start } = run;
    const { batchId: id, accountId, currency, batchNumber: reference, amount: value, fees: fee } = run;
    const before = await lockBatch(db, id);
    // Rows with errors are not kept, so this draft is from an earlier request.
    const isSame = before?.itemsHash === run.itemsHash && before.errors.length === 0;
    if (before && before.startedAt !== null) return 'there';
    if (before && !start && (before.status !== 'draft' || isSame)) return noteDraft(db, run);
    if (before && !isSame) await db.query('DELETE FROM batches WHERE id = $1', [id]);
    if (!isSame && !(await insertDraft(db, { ...run, id, columns: null })))
      throw new Error(`batch ${id} was made by somebody else meanwhile`);
    if (!start) {
      const rows = run.items === 1 ? '1' : `1–${run.items}`;
      await cancelFor(db, id, say('batch_lost_rows', { rows }));
      return 'restored';
    }
    if (start.own) await keepOwnFees(db, accountId, start.own);
    await setFees(db, id, { fees: fee, version: run.feeVersion });
    await update(
      db,
      'batches',
      {
        status: 'paused',
        status_reason: PAUSED,
        started_by: run.startedBy,
        started_at: start.at,
        routes: run.routes,
        finished_at: null,
        updated_at: NOW,
        due_at: NOW,
      },
      { id },
    );
    await countItems(db, { ...run, id }, start.at);
    await setHeld(db, id, value + fee);
    await placeBatchHold(db, { batchId: id, accountId, currency, reference, value, fee });
    await signStart(db, id);
    return 'restored';
  });
}

/** Marks a draft whose start is newer than this copy, so it is kept. The start must be requested again. */
async function noteDraft(db: Queryable, { batchId, startedBy }: BatchRun): Promise<'there'> {
  await update(
    db,
    'batches',
    { status_reason: PAUSED, started_by: startedBy },
    { id: batchId, status: 'draft' },
  );
  return 'there';
}

const PAUSED = storeMessage(say('batch_restored'));

/** Pauses running batches and makes scheduled ones drafts: a cancel may be lost. Call it while fenced. */
export async function pauseBatches(db: Queryable): Promise<void> {
  await db.query(
    `UPDATE batches
     SET status = CASE WHEN status = 'running' THEN 'paused' ELSE 'draft' END, status_reason = $1,
       updated_at = now(), mac = CASE WHEN status = 'running' THEN mac END
     WHERE status IN ('running', 'scheduled')`,
    [PAUSED],
  );
}
