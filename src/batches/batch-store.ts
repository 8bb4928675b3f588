import { ownFeesIn } from '../accounts/fees.ts';
import {
  type BatchItem,
  type BatchRoutes,
  type BatchRun,
  type BatchStatus,
  type ItemStatus,
  messageOf,
  type RowError,
  type StoredMessage,
  storeMessage,
} from '../domain/batch.ts';
import { BrokenInvariant } from '../domain/errors.ts';
import type { FailureCode } from '../domain/failure.ts';
import type { NamedPayoutMode } from '../domain/kinds.ts';
import type { Message } from '../domain/messages.ts';
import { type Minor, minor } from '../domain/money.ts';
import { COUNTED_MAX, type Listed, type Page, readList, totalOf } from '../platform/db/listing.ts';
import type { Database, Queryable, RowOf } from '../platform/db/pool.ts';
import { prepared } from '../platform/db/prepared.ts';
import { macOfRow, proves } from '../platform/db/proofs.ts';
import { only } from '../platform/db/rows.ts';
import { NOW, update } from '../platform/db/write.ts';
import { payoutColumns } from '../transactions/rows/columns.ts';

export type ItemsEnded = Record<'paid' | 'failed' | 'cancelled', number>;

export type BatchNow = Omit<BatchRun, 'batchId' | 'startedBy' | 'start'> & {
  id: string;
  status: BatchStatus;
  statusReason: Message | null;
  columns: string[] | null;
  errors: RowError[];
  startedBy: string | null;
  startedAt: string | null;
  mac: string | null;
  held: Minor;
  finishedAt: string | null;
  ended: ItemsEnded | null;
  createdAt: string;
};

const FIELDS =
  `b.id, b.account_id AS "accountId", b.api_key_id AS "apiKeyId", b.batch_number AS "batchNumber", b.status,
  b.status_reason AS "statusReason", b.items_hash AS "itemsHash", b.currency, b.items, b.amount, b.fees,
  b.fee_version AS "feeVersion", b.allow_twins AS "allowTwins", b.quiet, b.metadata, b.columns, b.routes,
  b.start_at AS "startAt", b.started_by AS "startedBy", b.started_at AS "startedAt", b.mac, b.held,
  b.finished_at AS "finishedAt", b.paid, b.failed, b.cancelled, b.created_at AS "createdAt"` as const;
const BATCH = `${FIELDS}, b.errors` as const;
/** A list shows ten errors per batch, which may have tens of thousands. */
const LISTED = `${FIELDS}, jsonb_path_query_array(b.errors, '$[0 to 9]') AS errors` as const;
type Row = RowOf<`SELECT ${typeof BATCH} FROM batches b WHERE b.id = $1 FOR NO KEY UPDATE`>;

function toBatch({ paid, failed, cancelled, ...row }: Row): BatchNow {
  const errors = row.errors as unknown as { row: number; field: string; message: StoredMessage }[];
  return {
    ...row,
    status: row.status as BatchStatus,
    statusReason: row.statusReason === null ? null : messageOf(row.statusReason as StoredMessage),
    amount: minor(row.amount),
    fees: minor(row.fees),
    held: minor(row.held),
    routes: row.routes as BatchRoutes,
    errors: errors.map((error) => ({ ...error, message: messageOf(error.message) })),
    ended: row.finishedAt === null ? null : { paid, failed, cancelled },
  };
}

/** Locks the row but not its key, because accepted items refer to the key and would deadlock. */
export async function lockBatch(db: Queryable, id: string): Promise<BatchNow | null> {
  const { rows } = await db.query(`SELECT ${BATCH} FROM batches b WHERE b.id = $1 FOR NO KEY UPDATE`, [id]);
  return rows[0] ? toBatch(rows[0]) : null;
}

export async function findBatch(
  db: Queryable,
  { id, accountId }: { id: string; accountId: string },
): Promise<BatchNow | null> {
  const found = `SELECT ${BATCH} FROM batches b WHERE b.id = $1 AND b.account_id = $2` as const;
  const { rows } = await db.query(found, [id, accountId]);
  return rows[0] ? toBatch(rows[0]) : null;
}

export function listBatches(
  database: Database,
  { accountId, status = null }: { accountId: string; status?: BatchStatus | null },
  { page, perPage }: Page,
): Promise<Listed<BatchNow>> {
  return readList(database, async (db) => {
    const listed = await db.query(
      `SELECT ${LISTED} FROM batches b WHERE b.account_id = $1 AND ($2::text IS NULL OR b.status = $2)
       ORDER BY b.created_at DESC, b.id DESC LIMIT $3 OFFSET $4 /* never null: errors */`,
      [accountId, status, perPage, (page - 1) * perPage],
    );
    const counted = await db.query(
      `SELECT count(*) AS counted FROM (SELECT FROM batches b WHERE b.account_id = $1
         AND ($2::text IS NULL OR b.status = $2) LIMIT $3) matching`,
      [accountId, status, COUNTED_MAX + 1],
    );
    return { items: listed.rows.map(toBatch), ...totalOf(only(counted.rows).counted ?? 0, COUNTED_MAX) };
  });
}

/** Joins by id, never by batch: without statistics, Postgres would read all payouts for each item. */
const PAYOUT_OF_ITEM =
  'LEFT JOIN transactions t ON t.id = i.transaction_id AND t.batch_id IS NOT DISTINCT FROM b.id';

export type BatchCounts = Record<ItemStatus, number> & {
  /** items with a row; a restore may have lost some */
  known: number;
  accepted: { items: number; amount: Minor; fees: Minor };
};

/** Reads the payouts, because only their rows have the outcome. */
export async function countItems(db: Queryable, ids: readonly string[]): Promise<Map<string, BatchCounts>> {
  const { rows } = await db.query(
    `SELECT b.id, count(i.position)::int AS known, count(t.id)::int AS accepted,
       coalesce(sum(t.amount), 0)::bigint AS amount, coalesce(sum(t.fee), 0)::bigint AS fees,
       count(*) FILTER (WHERE i.position IS NOT NULL AND t.id IS NULL)::int AS left_over,
       count(*) FILTER (WHERE t.status = 'pending')::int AS pending,
       count(*) FILTER (WHERE t.status = 'paid')::int AS paid,
       count(*) FILTER (WHERE t.status = 'failed')::int AS failed,
       count(*) FILTER (WHERE t.status = 'cancelled')::int AS cancelled,
       b.status = 'cancelled' AS "isCancelled"
     FROM batches b LEFT JOIN batch_items i ON i.batch_id = b.id
     ${PAYOUT_OF_ITEM}
     WHERE b.id = ANY($1::uuid[]) GROUP BY b.id
     /* never null: known, accepted, amount, fees, left_over, pending, paid, failed, cancelled */`,
    [ids],
  );
  return new Map(
    rows.map(({ id, left_over: left, isCancelled, accepted, amount, fees, ...row }) => [
      id,
      {
        ...row,
        waiting: isCancelled ? 0 : left,
        cancelled: row.cancelled + (isCancelled ? left : 0),
        accepted: { items: accepted, amount: minor(amount), fees: minor(fees) },
      },
    ]),
  );
}

export type ItemNow = BatchItem & {
  status: ItemStatus;
  failureCode: FailureCode | null;
  payoutReference: string | null;
  /** time of this status */
  statusAt: string | null;
};

export const ITEM =
  `i.position, i.transaction_id AS "transactionId", i.mode, i.channel, ${payoutColumns('i')},
  i.amount, i.reference, i.metadata` as const;

export function toItem<R extends { mode: string; amount: number }>(row: R) {
  return { ...row, mode: row.mode as NamedPayoutMode, amount: minor(row.amount) };
}

export async function allItemsOf(db: Queryable, batchId: string) {
  const { rows } = await db.query(
    `SELECT ${ITEM} FROM batch_items i WHERE i.batch_id = $1 ORDER BY i.position`,
    [batchId],
  );
  return rows.map(toItem);
}

export async function itemsOf(
  db: Queryable,
  asked: { batchId: string; status: ItemStatus | null; after: number; offset: number; count: number },
): Promise<ItemNow[]> {
  const { rows } = await db.query(
    `SELECT * FROM (
       SELECT ${ITEM}, i.name_match AS "nameMatch", i.cells, t.failure_code AS "failureCode",
         t.reference AS "payoutReference", t.status_at AS "statusAt",
         coalesce(t.status, CASE WHEN b.status = 'cancelled' THEN 'cancelled' ELSE 'waiting' END) AS status
       FROM batch_items i JOIN batches b ON b.id = i.batch_id
       ${PAYOUT_OF_ITEM}
       WHERE i.batch_id = $1 AND i.position > $3) item
     WHERE $2::text IS NULL OR status = $2 ORDER BY position OFFSET $4 LIMIT $5
     /* never null: position, transactionId, mode, channel, amount, metadata, status */`,
    [asked.batchId, asked.status, asked.after, asked.offset, asked.count],
  );
  return rows.map((row) => ({
    ...toItem(row),
    status: row.status as ItemStatus,
    failureCode: row.failureCode as FailureCode | null,
  }));
}

export function runOf(batch: BatchNow): BatchRun {
  return {
    batchId: batch.id,
    accountId: batch.accountId,
    apiKeyId: batch.apiKeyId,
    batchNumber: batch.batchNumber,
    itemsHash: batch.itemsHash,
    currency: batch.currency,
    items: batch.items,
    amount: batch.amount,
    fees: batch.fees,
    feeVersion: batch.feeVersion,
    allowTwins: batch.allowTwins,
    quiet: batch.quiet,
    metadata: batch.metadata,
    startAt: batch.startAt,
    routes: batch.routes,
    startedBy: batch.startedBy ?? batch.apiKeyId,
    ...(isRestoredDraft(batch) ? { again: true as const } : {}),
  };
}

/** A start requested before the restore may have been withdrawn, so it must be requested again. */
export const isRestoredDraft = ({ status, statusReason }: BatchNow) =>
  status === 'draft' && statusReason?.id === 'batch_restored';

/** Returns the run, without `start` if the batch only has to end; null if the start has no valid MAC. */
export async function heldRunOf(db: Queryable, batch: BatchNow): Promise<BatchRun | null> {
  const { status, startedAt, feeVersion } = batch;
  const isEnding = status === 'cancelled';
  if (isEnding && startedAt === null) return runOf(batch);
  if (!(await provesStart(db, batch))) return isEnding ? runOf(batch) : null;
  if (startedAt === null) return runOf(batch);
  return { ...runOf(batch), start: { at: startedAt, own: await ownFeesIn(db, feeVersion) } };
}

/** Call it last in the transaction that starts the batch: the MAC covers the row as it is then. */
export async function signStart(db: Queryable, id: string): Promise<void> {
  const batch = await lockBatch(db, id);
  if (!batch) throw new BrokenInvariant(`batch ${id} is not there`);
  await update(db, 'batches', { mac: macOfRow(db, 'batches', startOf(batch)) }, { id });
}

/** True if the start has a valid MAC; else people are notified. */
export const provesStart = (db: Queryable, batch: BatchNow): Promise<boolean> =>
  proves(db, 'batches', { ...startOf(batch), mac: batch.mac });

const startOf = (batch: BatchNow) => ({
  id: batch.id,
  account_id: batch.accountId,
  api_key_id: batch.apiKeyId,
  batch_number: batch.batchNumber,
  items_hash: batch.itemsHash,
  currency: batch.currency,
  items: batch.items,
  amount: batch.amount,
  fees: batch.fees,
  fee_version: batch.feeVersion,
  allow_twins: batch.allowTwins,
  quiet: batch.quiet,
  metadata: batch.metadata,
  routes: batch.routes,
  start_at: batch.startAt,
  started_by: batch.startedBy,
  started_at: batch.startedAt,
});

/**
 * Returns null if the batch has left these states. Running items re-read the row under the same lock. The
 * workflow ends a cancelled batch and tells its merchant.
 */
export async function moveBatch(
  db: Queryable,
  asked: { id: string; accountId: string; from: readonly BatchStatus[]; to: BatchStatus },
): Promise<BatchNow | null> {
  const { rows } = await db.query(
    `UPDATE batches b SET status = $4, status_reason = NULL, updated_at = now()
     WHERE b.id = $1 AND b.account_id = $2 AND b.status = ANY($3) AND b.finished_at IS NULL
     RETURNING ${BATCH}`,
    [asked.id, asked.accountId, asked.from, asked.to],
  );
  return rows[0] ? toBatch(rows[0]) : null;
}

/** Cancels a batch; its workflow still ends it and tells the merchant why. */
export async function cancelFor(db: Queryable, id: string, why: Message): Promise<void> {
  await update(
    db,
    'batches',
    { status: 'cancelled', status_reason: storeMessage(why), updated_at: NOW },
    { id },
  );
}

/** `fees`: for all items, in minor units. */
export async function setFees(
  db: Queryable,
  id: string,
  { fees, version }: { fees: Minor; version: string },
): Promise<void> {
  await update(db, 'batches', { fees, fee_version: version }, { id });
}

/** True if the account requires two people for a batch, and one person holds both keys. */
export async function isOwnBatch(db: Queryable, { apiKeyId }: BatchNow, startedBy: string): Promise<boolean> {
  const { rows } = await db.query(
    `SELECT a.batches_need_another AS "needsAnother", m.holder AS maker, s.holder AS starter
     FROM api_keys m JOIN accounts a ON a.id = m.account_id JOIN api_keys s ON s.account_id = a.id
     WHERE m.id = $1 AND s.id = $2 /* never null: needsAnother */`,
    [apiKeyId, startedBy],
  );
  const { needsAnother, maker, starter } = only(rows);
  return needsAnother && personOf(maker) === personOf(starter);
}

/** SQL cannot do this: a database with locale C changes case only for ASCII. */
const personOf = (holder: string | null) =>
  holder?.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

/** Takes part of a batch's hold under its row lock. Returns the items' hash; null if the batch is over. */
export async function takeHeld(db: Queryable, id: string, amount: number): Promise<string | null> {
  const { rows } = await db.query(
    prepared(
      `UPDATE batches SET held = held - $2 WHERE id = $1 AND status IN ('running', 'paused') AND held >= $2
       RETURNING items_hash`,
    ),
    [id, amount],
  );
  return rows[0]?.items_hash ?? null;
}

/** `held`: rest of the batch's hold, in minor units. */
export async function setHeld(db: Queryable, id: string, held: number): Promise<void> {
  await update(db, 'batches', { held }, { id });
}
