import { randomUUID } from 'node:crypto';
import { frozenFees } from '../accounts/fees.ts';
import { isFrozen } from '../accounts/freeze.ts';
import type { BatchItem, BatchRun } from '../domain/batch.ts';
import { BrokenInvariant } from '../domain/errors.ts';
import { feeFor } from '../domain/fees.ts';
import { kinds } from '../domain/kinds.ts';
import type { Minor } from '../domain/money.ts';
import type { PayoutRequest, Submission } from '../domain/operation.ts';
import { requestOf } from '../domain/party.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { proves } from '../platform/db/proofs.ts';
import { fingerprintsOf, keyOfItem } from '../transactions/acceptance/idempotency.ts';
import { fenceOf } from '../transactions/care/fence.ts';
import { provenOf } from './batch-drafts.ts';
import { findBatch, ITEM, provesStart, toItem } from './batch-store.ts';

export const SLICE_ITEMS = 10;
/** items under way per channel, so a channel that is down delays only its own */
const ON_THEIR_WAY_MAX = 200;
/** seconds until an item whose workflow ended without a payout (as for a frozen account) starts again */
const AGAIN_AFTER_S = 60;

/** Returns the next items, unless paused, cancelled, frozen or fenced. An item started twice pays once. */
export async function nextSubmissions(db: Queryable, run: BatchRun): Promise<Submission<PayoutRequest>[]> {
  if ((await fenceOf(db)) !== null) return [];
  const batch = await findBatch(db, { id: run.batchId, accountId: run.accountId });
  if (batch?.status !== 'running' || (await isFrozen(db, batch.apiKeyId))) return [];
  if (!(await provesStart(db, batch)))
    throw new BrokenInvariant(`the start of batch ${batch.id} is not what a process of ours wrote`);
  const { rows } = await db.query(
    `SELECT ${ITEM}, i.mac
     FROM (SELECT x.*, row_number() OVER (PARTITION BY x.channel ORDER BY x.position) AS place
       FROM batch_items x
       WHERE x.batch_id = $1 AND (x.begun_at IS NULL OR x.begun_at < now() - $4 * interval '1 second')
         AND NOT EXISTS (SELECT FROM transactions t WHERE t.id = x.transaction_id)) i
     LEFT JOIN (SELECT x.channel, count(*) AS items
       FROM batch_items x LEFT JOIN transactions t ON t.id = x.transaction_id
       WHERE x.batch_id = $1 AND (t.status = 'pending'
         OR t.id IS NULL AND x.begun_at >= now() - $4 * interval '1 second')
       GROUP BY x.channel) busy ON busy.channel = i.channel
     WHERE i.place <= $3 - coalesce(busy.items, 0)
     ORDER BY i.position LIMIT $2
     /* never null: position, transactionId, mode, channel, amount, metadata, mac */`,
    [run.batchId, SLICE_ITEMS, ON_THEIR_WAY_MAX, AGAIN_AFTER_S],
  );
  const fees = await frozenFees(db, run.feeVersion);
  const submissions: Submission<PayoutRequest>[] = [];
  for (const { mac, ...row } of rows) {
    const item = toItem(row);
    const proven = provenOf(item, { id: run.batchId, itemsHash: run.itemsHash });
    if (!(await proves(db, 'batch_items', { ...proven, mac })))
      throw new BrokenInvariant(
        `item ${item.position} of batch ${run.batchId} is not what a process of ours wrote`,
      );
    submissions.push(submissionOf(item, run, feeFor(kinds[item.mode].fee, item.amount, fees).fee));
  }
  return submissions;
}

/** True if the next item may start. Checked before each item, so a pause works at once. */
export async function runs(db: Queryable, { batchId }: BatchRun): Promise<boolean> {
  const { rowCount } = await db.query("SELECT FROM batches WHERE id = $1 AND status = 'running'", [batchId]);
  return rowCount === 1;
}

export async function noteBegun(db: Queryable, run: BatchRun, ids: readonly string[]): Promise<void> {
  await db.query(
    'UPDATE batch_items SET begun_at = now() WHERE batch_id = $1 AND transaction_id = ANY($2::uuid[])',
    [run.batchId, ids],
  );
}

function submissionOf(item: Omit<BatchItem, 'cells'>, run: BatchRun, fee: Minor): Submission<PayoutRequest> {
  const { batchId, accountId, apiKeyId, feeVersion, currency, routes } = run;
  const { position, transactionId, mode, channel, metadata } = item;
  const route = routes[channel];
  if (!route) throw new BrokenInvariant(`batch ${batchId} was started without a route of ${channel}`);
  const { connection, timing } = route;
  return {
    transactionId,
    accountId,
    apiKeyId,
    metadata,
    timing,
    idempotencyKey: keyOfItem(batchId, position),
    fingerprint: fingerprintsOf(mode, { batch: batchId, position })[0],
    submissionId: randomUUID(),
    requestId: batchId,
    receivedAt: new Date().toISOString(),
    batch: { id: batchId, position, fee, feeVersion },
    request: requestOf(item, { currency, connection }),
  };
}
