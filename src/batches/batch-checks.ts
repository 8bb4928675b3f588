import { feesOf } from '../accounts/fees.ts';
import type { BatchItem, RowError } from '../domain/batch.ts';
import { feeFor } from '../domain/fees.ts';
import { kinds, type NamedPayoutMode } from '../domain/kinds.ts';
import { describeLimit, type LimitsByOwner, reasonByLimits, twinWindowOf } from '../domain/limits.ts';
import { type Message, say } from '../domain/messages.ts';
import { type Minor, minor } from '../domain/money.ts';
import { fieldOfParty } from '../domain/party.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { byOwner, countItems, noteRecipients, SELECT_LIMITS } from '../transactions/acceptance/limits.ts';
import { PAID_LATE } from '../transactions/rows/moved.ts';
import type { BatchNow } from './batch-store.ts';

/** Checks all items together in Postgres: when the batch is checked, and when it starts. */

/** Repeated payments within a day are reported, whatever window the operators set. */
const TWIN_SECONDS = 24 * 60 * 60;

/** SQL: payout `t` repeats item `i` within $3 seconds. One query for each kind: an OR would use no index. */
const LIKE_ITEM = `t.account_id = $2 AND t.mode = i.mode AND t.amount = i.amount
           AND (t.status NOT IN ('failed', 'cancelled') OR ${PAID_LATE})
           AND t.created_at > now() - $3 * interval '1 second' AND t.batch_id IS DISTINCT FROM $1` as const;

type Checked = Pick<BatchNow, 'id' | 'accountId' | 'apiKeyId' | 'allowTwins'>;

/** Reports rows that repeat a payment or break a limit of one payout. Then records new recipients. */
export async function problemsOfItems(db: Queryable, batch: Checked): Promise<RowError[]> {
  const { rows } = await db.query(SELECT_LIMITS, [batch.accountId, batch.apiKeyId]);
  const limits = await byOwner(db, rows);
  const twins = batch.allowTwins ? [] : await twinsOf(db, batch, limits);
  return [...twins, ...(await beyondLimits(db, batch, limits))].sort((a, b) => a.row - b.row);
}

async function twinsOf(
  db: Queryable,
  { id, accountId }: Checked,
  limits: LimitsByOwner,
): Promise<RowError[]> {
  // Equal rows are looked up only once: ten thousand times ten thousand look-ups would be too many.
  const seconds = Math.max(TWIN_SECONDS, twinWindowOf(limits) ?? 0);
  const { rows } = await db.query(
    `SELECT i.position, i.mode, i.first, o.batch_number, p.at
     FROM (SELECT *, min(position) OVER (PARTITION BY recipient, amount) AS first FROM batch_items
       WHERE batch_id = $1) i
     LEFT JOIN LATERAL (
       SELECT b.batch_number FROM batch_items x JOIN batches b ON b.id = x.batch_id
       WHERE i.position = i.first AND x.recipient = i.recipient AND x.amount = i.amount AND b.account_id = $2
         AND b.id <> $1 AND b.status IN ('scheduled', 'running', 'paused')
         AND NOT EXISTS (SELECT FROM transactions t WHERE t.id = x.transaction_id) LIMIT 1) o ON true
     LEFT JOIN LATERAL (
       SELECT max(at) AS at FROM (
         SELECT t.created_at AS at FROM transactions t WHERE t.msisdn = i.msisdn AND ${LIKE_ITEM}
         UNION ALL SELECT t.created_at FROM transactions t
         WHERE t.account_number = i.account_number AND t.bic = i.bic AND ${LIKE_ITEM}
       ) paid WHERE i.position = i.first) p ON true
     WHERE i.position > i.first OR o.batch_number IS NOT NULL OR p.at IS NOT NULL ORDER BY i.position
     /* never null: position, mode, first */`,
    [id, accountId, seconds],
  );
  return rows.map(({ position: row, mode, first, batch_number: number, at }) => {
    const beside =
      number === null ? say('is_twin_of_payout', { time: at ?? '' }) : say('is_twin_of_batch', { number });
    return {
      row,
      field: fieldOf(mode),
      message: first < row ? say('is_twin_of_row', { row: first }) : beside,
    };
  });
}

/** Reports, in order, the items that failed but were paid after all, because their money is not back. */
export async function paidLate(
  db: Queryable,
  items: readonly Pick<BatchItem, 'transactionId' | 'mode'>[],
): Promise<RowError[]> {
  const { rows } = await db.query(
    `SELECT t.id, coalesce((SELECT max(i.created_at) FROM suspense_items i
       WHERE i.transaction_id = t.id AND i.amount < 0), now()) AS at
     FROM transactions t WHERE t.id = ANY($1::uuid[]) AND ${PAID_LATE} /* never null: at */`,
    [items.map(({ transactionId }) => transactionId)],
  );
  const paidAt = new Map(rows.map(({ id, at }) => [id, at]));
  return items.flatMap(({ transactionId, mode }, index): RowError[] => {
    const time = paidAt.get(transactionId);
    if (time === undefined) return [];
    return [{ row: index + 1, field: fieldOf(mode), message: say('is_twin_of_payout', { time }) }];
  });
}

const fieldOf = (mode: string) => fieldOfParty(mode as NamedPayoutMode);

async function beyondLimits(
  db: Queryable,
  batch: Checked,
  { account, key }: LimitsByOwner,
): Promise<RowError[]> {
  const { id, accountId } = batch;
  const most = Math.min(account.payout_max ?? Infinity, key.payout_max ?? Infinity);
  const cooloff = Math.max(account.new_recipient_cooloff_s ?? 0, key.new_recipient_cooloff_s ?? 0);
  if (cooloff > 0) await noteRecipients(db, batch);
  if (cooloff === 0 && most === Infinity) return [];
  const { rows } = await db.query(
    `SELECT i.position, i.mode, i.amount > $3 AS above, r.known_since + $4 * interval '1 second' AS at
     FROM batch_items i LEFT JOIN payout_recipients r ON r.account_id = $2 AND r.recipient = i.recipient
       AND r.known_since + $4 * interval '1 second' > now()
     WHERE i.batch_id = $1 AND (i.amount > $3 OR r.recipient IS NOT NULL) /* never null: position, above */`,
    [id, accountId, Math.min(most, Number.MAX_SAFE_INTEGER), cooloff],
  );
  return rows.map(({ position, mode, above, at }) => ({
    row: position,
    ...(above
      ? { field: 'amount', message: say('is_above_limit', { amount: describeLimit('payout_max', most) }) }
      : { field: fieldOf(mode), message: say('is_new_recipient', { time: at ?? '' }) }),
  }));
}

/** Sums the fees of all items by the current schedule, in minor units. */
export async function feesNow(
  db: Queryable,
  { id, accountId }: Pick<BatchNow, 'id' | 'accountId'>,
): Promise<{ fees: Minor; version: string }> {
  const { inForce } = await feesOf(db, accountId);
  const { rows } = await db.query(
    `SELECT mode, amount, count(*)::int AS items FROM batch_items WHERE batch_id = $1 GROUP BY mode, amount
     /* never null: items */`,
    [id],
  );
  const cost = (row: (typeof rows)[number]) =>
    row.items * feeFor(kinds[row.mode as NamedPayoutMode].fee, minor(row.amount), inForce).fee;
  return { fees: minor(rows.reduce((sum, row) => sum + cost(row), 0)), version: inForce.version };
}

/**
 * Counts a whole batch on its start day, and returns which limit it exceeds. Locks the account's row of the
 * day first, like a payout. The caller rolls back a refusal.
 */
export async function countBatch(db: Queryable, batch: BatchNow, now: string): Promise<Message | null> {
  const { accountId, apiKeyId, amount } = batch;
  const { days, recipients } = await countItems(db, batch, now);
  const { rows } = await db.query(SELECT_LIMITS, [accountId, apiKeyId]);
  const { account, key } = await byOwner(db, rows);
  // The checks of each row cover the limits of one payout.
  const limits = { account: { ...account, payout_max: null }, key: { ...key, payout_max: null } };
  const [top] = recipients;
  const asked = { now, dayEnds: top?.day_ends ?? now, limits };
  const reason = reasonByLimits({ ...asked, amount, days, recipient: { value: 0, knownSince: NEVER } });
  if (reason || !top) return reason;
  const recipient = { value: top.value, knownSince: NEVER };
  const none = { value: 0, payouts: 0 };
  return reasonByLimits({ ...asked, amount: minor(top.own), days: { account: none, key: none }, recipient });
}

/** The checks of each row cover new recipients. */
const NEVER = '1970-01-01T00:00:00Z';
