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
import { say } from '../domain/messages.ts';
import type { Database, Queryable } from '../platform/db/pool.ts';
import { only } from '../platform/db/rows.ts';
import { inTransaction } from '../platform/db/transaction.ts';
import { macOfParty } from '../transactions/rows/row-mac.ts';
import { problemsOfItems } from './batch-checks.ts';
import { type BatchNow, findBatch, lockBatch } from './batch-store.ts';

/** Drafts: what a batch is before it starts. Nothing here moves money. */

export type NewDraft = Omit<BatchRun, 'batchId' | 'startedBy'> & Pick<BatchNow, 'id' | 'columns'>;

/** `taken`: the number is that of a batch with other items, or with the same at another time or told otherwise. */
export type SavedDraft = BatchNow | 'taken';

/**
 * The draft of this number: made now, or found where it has the same items. One with errors is checked anew, with whatever
 * items it comes. The rows of a batch with errors are not kept. Throws `batch_state` where the account has too many.
 */
export async function saveDraft(
  database: Database,
  draft: NewDraft,
  items: readonly BatchItem[],
  errors: readonly RowError[],
): Promise<SavedDraft> {
  const { id, accountId } = draft;
  const saved = await inTransaction(database, async (db) => {
    const before = await lockBatch(db, id);
    if (before) {
      if (!isReplaceable(before)) return isSame(before, draft) ? before : 'taken';
      await db.query('DELETE FROM batches WHERE id = $1', [id]);
    }
    if (!(await insertDraft(db, draft))) return null;
    if (errors.length > 0) await writeErrors(db, id, errors);
    else {
      await insertItems(db, draft, items);
      const found = await problemsOfItems(db, draft);
      if (found.length > 0) {
        await db.query('DELETE FROM batch_items WHERE batch_id = $1', [id]);
        await writeErrors(db, id, found);
      }
    }
    await requireRoom(db, accountId);
    return (await findBatch(db, { id, accountId })) ?? 'taken';
  });
  // Another request made it at the same moment: it is there now.
  return saved ?? saveDraft(database, draft, items, errors);
}

/** Last of all: from here to the commit no other draft of the account is counted. */
async function requireRoom(db: Queryable, accountId: string): Promise<void> {
  await db.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`drafts ${accountId}`]);
  const { rows } = await db.query(
    "SELECT count(*)::int AS drafts FROM batches WHERE account_id = $1 AND status = 'draft' /* never null: drafts */",
    [accountId],
  );
  if (only(rows).drafts > DRAFTS_MAX)
    throw new GatewayError('batch_state', say('too_many_drafts', { count: DRAFTS_MAX }));
}

/** Nothing of it can start, and nothing of it is kept when its number comes again. */
export const isReplaceable = ({ status, errors }: BatchNow) => status === 'draft' && errors.length > 0;

function isSame(batch: BatchNow, draft: NewDraft): boolean {
  const asked = ({ itemsHash, allowTwins, quiet, startAt, metadata }: NewDraft) =>
    canonicalJson([itemsHash, allowTwins, quiet, startAt && Date.parse(startAt), JSON.parse(metadata)]);
  return asked(batch) === asked(draft);
}

async function writeErrors(db: Queryable, id: string, errors: readonly RowError[]): Promise<void> {
  const stored = errors.map((error) => ({ ...error, message: storeMessage(error.message) }));
  await db.query('UPDATE batches SET errors = $2::jsonb WHERE id = $1', [id, JSON.stringify(stored)]);
}

/** False where it is there. */
export async function insertDraft(db: Queryable, draft: NewDraft): Promise<boolean> {
  const { id, accountId, apiKeyId, batchNumber, itemsHash, currency, items, amount, fees, feeVersion } =
    draft;
  const { allowTwins, quiet, metadata, columns, routes, startAt } = draft;
  const { rowCount } = await db.query(
    `INSERT INTO batches (id, account_id, api_key_id, batch_number, items_hash, currency, items, amount, fees, fee_version,
       allow_twins, quiet, metadata, columns, routes, start_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING`,
    [
      ...([id, accountId, apiKeyId, batchNumber, itemsHash, currency, items, amount, fees] as const),
      ...([feeVersion, allowTwins, quiet, metadata, columns, routes, startAt] as const),
    ],
  );
  return rowCount === 1;
}

/** Those that are there stay as they are. Each carries the proof that a process of ours wrote whom it goes to. */
export async function insertItems(
  db: Queryable,
  { id, accountId, currency }: Pick<BatchNow, 'id' | 'accountId' | 'currency'>,
  items: readonly BatchItem[],
): Promise<void> {
  const proven = items.map((item) => ({
    ...item,
    mac: macOfParty(db, partyOfItem(item, { accountId, currency })),
  }));
  await db.query(
    `INSERT INTO batch_items (batch_id, position, transaction_id, mode, channel, msisdn, bic, account_number, full_name,
       name_match, amount, fee, reference, metadata, cells, mac)
     SELECT $1, position, "transactionId", mode, channel, msisdn, bic, "accountNumber", "fullName", "nameMatch", amount, fee,
       reference, metadata, (SELECT array_agg(cell) FROM jsonb_array_elements_text(cells) cell), mac
     FROM jsonb_to_recordset($2::jsonb) AS i (position integer, "transactionId" uuid, mode text, channel text, msisdn text,
       bic text, "accountNumber" text, "fullName" text, "nameMatch" boolean, amount bigint, fee bigint, reference text,
       metadata text, cells jsonb, mac text) ON CONFLICT DO NOTHING`,
    [id, JSON.stringify(proven)],
  );
}

/** What an item's proof is of. Its id is made from account, batch and place, so it proves those, too. */
export function partyOfItem(
  { transactionId, msisdn, bic, accountNumber, amount, fee }: Omit<BatchItem, 'cells'>,
  { accountId, currency }: Pick<BatchNow, 'accountId' | 'currency'>,
) {
  const to = msisdn ?? `${bic}:${accountNumber}`;
  return { id: transactionId, of: accountId, connection: `fee ${fee}`, to, amount, currency };
}

/** How many of them one statement drops: each with up to ten thousand rows. */
const DROPPED_MAX = 20;

/** A duty of the sweep. One that waited for its time before a restore is no draft that nobody wanted. */
export async function dropOldDrafts(db: Queryable): Promise<void> {
  await db.query(
    `DELETE FROM batches WHERE id = ANY(ARRAY(
       SELECT id FROM batches WHERE status = 'draft' AND started_by IS NULL AND created_at < now() - make_interval(days => $1)
       ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
    [DRAFT_DAYS, DROPPED_MAX],
  );
}
