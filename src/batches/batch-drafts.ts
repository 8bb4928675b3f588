import { canonicalJson } from '../base/canonical-json.ts';
import {
  type BatchItem,
  type BatchRun,
  DRAFT_DAYS,
  DRAFTS_MAX,
  type RowError,
  storeMessage,
} from '../domain/batch.ts';
import { GatewayError } from '../domain/errors.ts';
import { type Message, say } from '../domain/messages.ts';
import type { Database, Queryable } from '../platform/db/pool.ts';
import { macOfRow } from '../platform/db/proofs.ts';
import { only } from '../platform/db/rows.ts';
import { inTransaction } from '../platform/db/transaction.ts';
import { DEFAULT, insert, insertMany, update } from '../platform/db/write.ts';
import { problemsOfItems } from './batch-checks.ts';
import { type BatchNow, findBatch, lockBatch } from './batch-store.ts';

export type NewDraft = Omit<BatchRun, 'batchId' | 'startedBy'> & Pick<BatchNow, 'id' | 'columns'>;

/** `inFile`: words an error by the row's place in the spreadsheet. */
export type FoundErrors = { errors: readonly RowError[]; inFile?: (error: RowError) => Message };

/** `taken`: the number belongs to a batch with other items or settings. */
export type SavedDraft = BatchNow | 'taken';

/**
 * Makes the draft of this number, or finds one with the same items. A draft with errors is checked again; its
 * rows are not kept. Throws `batch_state` if the account has too many.
 */
export async function saveDraft(
  database: Database,
  draft: NewDraft,
  items: readonly BatchItem[],
  wrong: FoundErrors,
): Promise<SavedDraft> {
  const { id, accountId } = draft;
  const saved = await inTransaction(database, async (db) => {
    const before = await lockBatch(db, id);
    if (before) {
      if (!isReplaceable(before)) return isSame(before, draft) ? before : 'taken';
      await forgetDraft(db, id);
    }
    if (!(await insertDraft(db, draft))) return null;
    if (wrong.errors.length > 0) await writeErrors(db, id, wrong);
    else {
      await insertItems(db, draft, items);
      const errors = await problemsOfItems(db, draft);
      if (errors.length > 0) {
        await forgetDraft(db, id);
        await insertDraft(db, draft);
        await writeErrors(db, id, { ...wrong, errors });
      }
    }
    await requireRoom(db, accountId);
    return (await findBatch(db, { id, accountId })) ?? 'taken';
  });
  // A concurrent request made it: read it now.
  return saved ?? saveDraft(database, draft, items, wrong);
}

/** Call it last: its lock keeps other drafts of the account waiting until the commit. */
async function requireRoom(db: Queryable, accountId: string): Promise<void> {
  await db.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`drafts ${accountId}`]);
  const { rows } = await db.query(
    `SELECT count(*)::int AS drafts FROM batches
     WHERE account_id = $1 AND status = 'draft' /* never null: drafts */`,
    [accountId],
  );
  if (only(rows).drafts > DRAFTS_MAX)
    throw new GatewayError('batch_state', say('too_many_drafts', { count: DRAFTS_MAX }));
}

/** True for a draft that can never start, so a new one may replace it; `forget_draft` has the same rule. */
export const isReplaceable = ({ status, errors, startedBy }: BatchNow) =>
  status === 'draft' && errors.length > 0 && startedBy === null;

function isSame(batch: BatchNow, draft: NewDraft): boolean {
  const asked = ({ itemsHash, allowTwins, quiet, startAt, metadata }: NewDraft) =>
    canonicalJson([itemsHash, allowTwins, quiet, startAt && Date.parse(startAt), JSON.parse(metadata)]);
  return asked(batch) === asked(draft);
}

async function writeErrors(db: Queryable, id: string, { errors, inFile }: FoundErrors): Promise<void> {
  const stored = errors.map((error) => ({
    ...error,
    message: storeMessage(inFile?.(error) ?? error.message),
  }));
  await update(db, 'batches', { errors: JSON.stringify(stored) }, { id });
}

/** The database function keeps, for a day, a draft that may still be started. */
async function forgetDraft(db: Queryable, id: string): Promise<void> {
  await db.query('SELECT forget_draft($1)', [id]);
}

export async function insertDraft(db: Queryable, draft: NewDraft): Promise<boolean> {
  const { rowCount } = await insert(
    db,
    'batches',
    {
      id: draft.id,
      account_id: draft.accountId,
      api_key_id: draft.apiKeyId,
      batch_number: draft.batchNumber,
      status: DEFAULT,
      status_reason: null,
      items_hash: draft.itemsHash,
      currency: draft.currency,
      items: draft.items,
      amount: draft.amount,
      fees: draft.fees,
      fee_version: draft.feeVersion,
      allow_twins: draft.allowTwins,
      quiet: draft.quiet,
      metadata: draft.metadata,
      columns: draft.columns,
      errors: DEFAULT,
      routes: draft.routes,
      start_at: draft.startAt,
      started_by: null,
      started_at: null,
      mac: null,
      held: DEFAULT,
      finished_at: null,
      paid: DEFAULT,
      failed: DEFAULT,
      cancelled: DEFAULT,
      rows_kept: DEFAULT,
      due_at: DEFAULT,
      created_at: DEFAULT,
      updated_at: DEFAULT,
    },
    { onConflict: 'DO NOTHING' },
  );
  return rowCount === 1;
}

/** items per statement: other requests are served in between */
const ITEMS_AT_ONCE = 500;

/** Inserts the items, each with its MAC. Leaves existing ones unchanged. */
export async function insertItems(
  db: Queryable,
  batch: Pick<BatchNow, 'id' | 'itemsHash'>,
  items: readonly BatchItem[],
): Promise<void> {
  if (items.length > ITEMS_AT_ONCE) {
    for (let from = 0; from < items.length; from += ITEMS_AT_ONCE)
      await insertItems(db, batch, items.slice(from, from + ITEMS_AT_ONCE));
    return;
  }
  await insertMany(
    db,
    'batch_items',
    items,
    (item) => ({
      batch_id: batch.id,
      position: item.position,
      transaction_id: item.transactionId,
      mode: item.mode,
      channel: item.channel,
      msisdn: item.msisdn,
      bic: item.bic,
      account_number: item.accountNumber,
      full_name: item.fullName,
      name_match: item.nameMatch ?? null,
      amount: item.amount,
      reference: item.reference,
      metadata: item.metadata,
      cells: item.cells,
      mac: macOfRow(db, 'batch_items', provenOf(item, batch)),
      begun_at: null,
    }),
    { onConflict: 'DO NOTHING' },
  );
}

/** An item's MAC covers these facts and the hash of all items, so no row of an earlier draft is valid. */
export const provenOf = (
  item: Omit<BatchItem, 'cells'>,
  { id, itemsHash }: Pick<BatchNow, 'id' | 'itemsHash'>,
) => ({
  transaction_id: item.transactionId,
  batch_id: id,
  items_hash: itemsHash,
  position: item.position,
  mode: item.mode,
  channel: item.channel,
  msisdn: item.msisdn,
  bic: item.bic,
  account_number: item.accountNumber,
  full_name: item.fullName,
  amount: item.amount,
  reference: item.reference,
  metadata: item.metadata,
});

/** drafts per statement, each with up to ten thousand rows */
const DROPPED_MAX = 20;

/** Keeps a batch that was started, even if a restore made it a draft again. */
export async function dropOldDrafts(db: Queryable): Promise<void> {
  await db.query(
    `SELECT forget_draft(id) FROM (
       SELECT id FROM batches
       WHERE status = 'draft' AND started_by IS NULL AND created_at < now() - make_interval(days => $1)
       ORDER BY created_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED) old`,
    [DRAFT_DAYS, DROPPED_MAX],
  );
}
