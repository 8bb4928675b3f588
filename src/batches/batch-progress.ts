import { createHash } from 'node:crypto';
import { insertBatchEvent, writeEvent } from '../callbacks/event.ts';
import type { BatchProgress, BatchRun } from '../domain/batch.ts';
import { BrokenInvariant } from '../domain/errors.ts';
import type { Round } from '../domain/event.ts';
import { inEnglish, say } from '../domain/messages.ts';
import { formatMoney, minor } from '../domain/money.ts';
import { releaseBatchHold } from '../ledger/hold.ts';
import type { Database, Queryable } from '../platform/db/pool.ts';
import { only } from '../platform/db/rows.ts';
import { inTransaction } from '../platform/db/transaction.ts';
import { uncountItems } from '../transactions/acceptance/limits.ts';
import { requireOpenFence } from '../transactions/care/fence.ts';
import {
  type BatchCounts,
  type BatchNow,
  cancelFor,
  countItems,
  findBatch,
  lockBatch,
  setHeld,
} from './batch-store.ts';

/**
 * Counts a batch's progress. Releases the rest of its hold once no item waits or the batch is cancelled. Ends
 * it and writes its callback once no item is pending. Runs in one Postgres transaction under the batch's row
 * lock. Idempotent.
 */
export function countBatch(database: Database, { batchId, accountId }: BatchRun): Promise<BatchProgress> {
  return inTransaction(database, async (db) => {
    // A row may be missing because a restore lost it.
    await requireOpenFence(db);
    const seen = await countOf(db, batchId);
    const before = there(await findBatch(db, { id: batchId, accountId }), batchId);
    const isNear = seen.waiting === 0 || before.status === 'cancelled' || seen.known < before.items;
    if (!isNear) return progressOf(before, seen);
    const batch = there(await lockBatch(db, batchId), batchId);
    return endWhatIsOver(db, batch, await countOf(db, batchId));
  });
}

const countOf = async (db: Queryable, id: string) => there((await countItems(db, [id])).get(id), id);

function there<T>(found: T | null | undefined, id: string): T {
  if (!found) throw new BrokenInvariant(`batch ${id} is not there`);
  return found;
}

async function endWhatIsOver(db: Queryable, batch: BatchNow, counts: BatchCounts): Promise<BatchProgress> {
  const { id, status } = batch;
  if (batch.finishedAt !== null) return { ...progressOf(batch, counts), event: eventIdOf(batch) };
  if (counts.known < batch.items && status !== 'cancelled') {
    const statusReason = say('batch_lost_rows', { rows: await lostRows(db, batch) });
    await cancelFor(db, id, statusReason);
    const rest = { ...counts, waiting: 0, cancelled: counts.cancelled + counts.waiting };
    return endWhatIsOver(db, { ...batch, status: 'cancelled', statusReason }, rest);
  }
  const end = status === 'cancelled' ? 'cancelled' : 'finished';
  if (end === 'finished' && counts.waiting > 0) return progressOf(batch, counts);
  await giveBack(db, batch, counts);
  if (counts.pending > 0) return progressOf(batch, counts);
  const { rows } = await db.query(
    `UPDATE batches
     SET status = $2, finished_at = clock_timestamp(), updated_at = clock_timestamp(), paid = $3, failed = $4,
       cancelled = $5 WHERE id = $1 RETURNING finished_at AS at /* never null: at */`,
    [id, end, counts.paid, counts.failed, counts.cancelled],
  );
  const ended = { ...batch, status: end, finishedAt: only(rows).at } as const;
  await insertFinished(db, ended, counts);
  return { ...progressOf(ended, counts), event: eventIdOf(ended) };
}

function progressOf({ status, finishedAt }: BatchNow, counts: BatchCounts): BatchProgress {
  const { waiting, pending, paid, failed, cancelled } = counts;
  return { status, waiting, pending, paid, failed, cancelled, isOver: finishedAt !== null, event: null };
}

/** Releases the hold of items that never became payouts, and uncounts them in the limits. */
async function giveBack(db: Queryable, batch: BatchNow, { accepted }: BatchCounts): Promise<void> {
  if (batch.held === 0) return;
  const { id, accountId, currency, batchNumber: reference, startedAt, apiKeyId } = batch;
  const value = minor(batch.amount - accepted.amount);
  const fee = minor(batch.fees - accepted.fees);
  const items = batch.items - accepted.items;
  await uncountItems(db, { id, accountId, apiKeyId, startedAt, amount: value, items });
  if (value + fee !== batch.held)
    throw new BrokenInvariant(`what is left of batch ${id} is not what its items left`);
  await setHeld(db, id, 0);
  await releaseBatchHold(db, { batchId: id, accountId, currency, reference, value, fee });
}

/** Lists the items that a restore lost; nobody knows their recipients. */
async function lostRows(db: Queryable, { id, items }: BatchNow): Promise<string> {
  const { rows } = await db.query(
    `SELECT string_agg(CASE WHEN first = last THEN first::text ELSE first || '–' || last END,
       ', ' ORDER BY first) AS lost
     FROM (SELECT min(n) AS first, max(n) AS last FROM (
       SELECT n, n - row_number() OVER (ORDER BY n) AS run FROM generate_series(1, $2::int) n
       WHERE NOT EXISTS (SELECT FROM batch_items i WHERE i.batch_id = $1 AND i.position = n)) missing
       GROUP BY run) runs`,
    [id, items],
  );
  return rows[0]?.lost ?? '';
}

/** Makes the id from the batch, so a repeated step makes the same one. */
function eventIdOf({ id, finishedAt }: Pick<BatchNow, 'id' | 'finishedAt'>): string {
  return `evt_${createHash('sha256').update(`batch:${id}:${finishedAt}`).digest('hex').slice(0, 32)}`;
}

async function insertFinished(
  db: Queryable,
  batch: BatchNow & { status: 'cancelled' | 'finished'; finishedAt: string },
  { paid, failed, cancelled }: BatchCounts,
): Promise<void> {
  const eventId = eventIdOf(batch);
  const body = writeEvent<'batch.finished'>({
    event: 'batch.finished',
    event_id: eventId,
    batch_id: batch.id,
    batch_number: batch.batchNumber,
    status: batch.status,
    status_reason: batch.statusReason === null ? undefined : inEnglish(batch.statusReason),
    totals: {
      items: batch.items,
      amount: formatMoney(batch.amount),
      fees: formatMoney(batch.fees),
      paid,
      failed,
      cancelled,
    },
    timestamp: batch.finishedAt,
  });
  await insertBatchEvent(db, { eventId, apiKeyId: batch.apiKeyId, body });
}

/** Returns the round still to be sent, or null if there is none. */
export async function roundOf(db: Queryable, eventId: string): Promise<Round | null> {
  const { rows } = await db.query(
    "SELECT id, round FROM callback_events WHERE id = $1 AND state = 'pending'",
    [eventId],
  );
  const [row] = rows;
  return row ? { eventId: row.id, round: row.round } : null;
}

const SWEPT_MAX = 100;

/** Takes batches that have not ended, each again after a while, because their workflow may be lost. */
export async function takeOpenBatches(db: Queryable, olderThanMs: number): Promise<string[]> {
  const { rows } = await db.query(
    `UPDATE batches SET due_at = now() WHERE id = ANY(ARRAY(
       SELECT id FROM batches
       WHERE finished_at IS NULL AND status <> 'draft' AND due_at < now() - $1 * interval '1 millisecond'
       ORDER BY due_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED)) RETURNING id`,
    [olderThanMs, SWEPT_MAX],
  );
  return rows.map((row) => row.id);
}
