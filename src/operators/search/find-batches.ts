import { type BatchCounts, type BatchNow, countItems, findBatch } from '../../batches/batch-store.ts';
import { DRAFT_DAYS, startersOf } from '../../domain/batch.ts';
import { countOf } from '../../domain/count-of.ts';
import { BrokenInvariant } from '../../domain/errors.ts';
import { isUuid } from '../../domain/ids.ts';
import { inEnglish } from '../../domain/messages.ts';
import { formatMoney, type Minor } from '../../domain/money.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { only } from '../../platform/db/rows.ts';

type FoundBatch = { what: 'batch'; id: string; at: string; sentence: string };

const BATCHES_MAX = 5;

export async function batches(db: Queryable, text: string): Promise<FoundBatch[]> {
  const { rows } = await db.query(
    `SELECT id, account_id FROM batches WHERE id = $1
     UNION SELECT found.id, found.account_id FROM accounts a CROSS JOIN LATERAL (
       SELECT id, account_id FROM batches WHERE account_id = a.id AND batch_number = $2) found
     LIMIT $3 /* never null: id, account_id */`,
    [isUuid(text) ? text : null, text, BATCHES_MAX],
  );
  if (rows.length === 0) return [];
  const counts = await countItems(
    db,
    rows.map(({ id }) => id),
  );
  const found: FoundBatch[] = [];
  for (const { id, account_id: accountId } of rows) {
    const batch = await findBatch(db, { id, accountId });
    // Unsent rows are deleted some time after the end.
    const counted = batch?.ended ? { waiting: 0, pending: 0, ...batch.ended } : counts.get(id);
    if (!batch || !counted) throw new BrokenInvariant(`batch ${id} went while it was read`);
    found.push({ what: 'batch', id, at: batch.createdAt, sentence: await sentenceOf(db, batch, counted) });
  }
  return found;
}

type Counts = Omit<BatchCounts, 'known' | 'accepted'>;

async function sentenceOf(db: Queryable, batch: BatchNow, counts: Counts): Promise<string> {
  const { batchNumber, status, statusReason, items, currency, held, startedAt } = batch;
  const people = await peopleOf(db, batch);
  const money = (amount: Minor) => `${formatMoney(amount)} ${currency}`;
  return [
    `${people.merchant}'s batch ${batchNumber} is ` +
      `${status}${statusReason === null ? '' : ` (${inEnglish(statusReason)})`}`,
    `${countOf(items, 'item')}, ${money(batch.amount)} and fees of ${money(batch.fees)}: ` +
      `${counts.waiting} wait, ${counts.pending} on their way, ${counts.paid} paid, ` +
      `${counts.failed} failed, ${counts.cancelled} cancelled`,
    startedAt === null ? 'Nothing was held for it yet' : `${money(held)} is still held for it`,
    `Made with ${people.maker}; ` +
      `${people.starter === null ? 'nobody has started it' : `started with ${people.starter}`}`,
    `Next: ${nextOf(batch, counts, people.starters)}`,
  ].join('. ');
}

async function peopleOf(db: Queryable, { accountId, apiKeyId, startedBy }: BatchNow) {
  const { rows } = await db.query(
    `SELECT a.name, a.batches_need_another, m.holder AS maker, s.holder AS starter FROM accounts a
     JOIN api_keys m ON m.id = $2 LEFT JOIN api_keys s ON s.id = $3
     WHERE a.id = $1 /* never null: name, batches_need_another */`,
    [accountId, apiKeyId, startedBy],
  );
  const { name, batches_need_another: needsAnother, maker, starter } = only(rows);
  const keyOf = (id: string, holder: string | null) => `the key ${id} of ${holder ?? 'an unnamed holder'}`;
  return {
    merchant: name,
    starters: startersOf(needsAnother),
    maker: keyOf(apiKeyId, maker),
    starter: startedBy === null ? null : keyOf(startedBy, starter),
  };
}

/** Only the merchant can continue a batch. */
function nextOf(
  { status, errors, startAt, finishedAt }: BatchNow,
  { pending, failed }: Counts,
  starters: string,
): string {
  if (status === 'draft')
    return errors.length > 0
      ? 'it has errors and cannot start: the merchant corrects it and sends it again under its number'
      : `${starters} starts it; if nobody does, it is deleted ${DRAFT_DAYS} days after it was made`;
  if (status === 'scheduled') return `it starts at ${startAt} by itself; the merchant may cancel it before`;
  if (status === 'running') return 'it continues automatically; the merchant may pause or cancel it';
  if (status === 'paused') return 'the merchant resumes it (payouts:approve) or cancels it';
  if (finishedAt === null || pending > 0) return 'sent payouts still end; then its hold is released';
  return failed > 0 ? 'nothing; a new batch with from_failed pays the failed items again' : 'nothing';
}
