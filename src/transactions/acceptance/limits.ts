import { newestProven } from '../../accounts/limits.ts';
import { kinds, type ModeWith } from '../../domain/kinds.ts';
import {
  type LimitRefusal,
  type LimitsByOwner,
  refusalAsTwin,
  refusalByLimits,
  twinWindowOf,
} from '../../domain/limits.ts';
import type { MoneyRequest, Submission } from '../../domain/operation.ts';
import { partyOf } from '../../domain/party.ts';
import { kindOf, type Transaction, type TransactionOf } from '../../domain/transaction.ts';
import type { Queryable, RowOf } from '../../platform/db/pool.ts';
import { naming, prepared } from '../../platform/db/prepared.ts';
import { only } from '../../platform/db/rows.ts';
import { PAID_LATE } from '../rows/moved.ts';
import { kept } from './refusals.ts';
import type { Refused } from './verdict.ts';

/**
 * Limits are enforced inside the accepting transaction, which counts first and checks afterwards. Counting
 * locks the account's row of the day, so concurrent payouts never exceed a limit. A refusal rolls the count
 * back.
 */

type CountedMode = ModeWith<{ limits: 'payout' }>;
type GuardedMode = CountedMode | ModeWith<{ limits: 'twins' }>;
type Counted = Submission<MoneyRequest<CountedMode>>;
type Guarded = Submission<MoneyRequest<GuardedMode>>;

/**
 * Counts a payout and returns the refusal if it exceeds a limit; the caller then rolls back. Locks its rows
 * before the transaction's insert and the ledger. `now`: time of this database transaction.
 */
export async function countPayout(
  db: Queryable,
  submission: Counted,
  now: string,
): Promise<LimitRefusal | null> {
  const { accountId, apiKeyId, request } = submission;
  // Read before the lock, because all of the account's payouts wait for it.
  const { rows } = await db.query(SELECT_LIMITS, [accountId, apiKeyId]);
  const limits = await byOwner(db, rows);
  const { days, recipient } = await countAt(db, submission, now);
  const twinAt = await findTwin(db, submission, limits);
  return refusalByLimits({ amount: request.amount, now, ...recipient, limits, days, twinAt });
}

/** Counts a restored payout again. Its limits were checked when it was accepted. */
export async function countAt(db: Queryable, { accountId, apiKeyId, request }: Counted, at: string) {
  const days = await countDays(db, { accountId, apiKeyId, amount: request.amount, payouts: 1 }, at);
  const recipients = await db.query(
    naming(
      prepared(`INSERT INTO payout_recipients AS r (account_id, recipient, known_since, day, value)
     VALUES ($1, $2, $4, ${dayOf('$4')}, $3)
     ${ADDED}
     RETURNING known_since, value, ${DAY_ENDS} /* never null: day_ends */`),
    ),
    [accountId, recipientOf(request), request.amount, at],
  );
  const { known_since: knownSince, value, day_ends: dayEnds } = only(recipients.rows);
  return { days, recipient: { recipient: { value, knownSince }, dayEnds } };
}

/** A day's limits count one payout, or a whole batch with all its payouts. */
type Sum = Pick<Submission, 'accountId' | 'apiKeyId'> & { amount: number; payouts: number };

async function countDays(db: Queryable, { accountId, apiKeyId, amount, payouts }: Sum, at: string) {
  const { rows } = await db.query(
    naming(
      prepared(`INSERT INTO payout_days (account_id, api_key_id, day, value, payouts)
     SELECT $1, key, ${dayOf('$4')}, $3, $5 FROM unnest(ARRAY[NULL, $2::text]) AS key
     ON CONFLICT (account_id, api_key_id, day) DO UPDATE
       SET value = payout_days.value + excluded.value, payouts = payout_days.payouts + excluded.payouts
     RETURNING api_key_id, value, payouts`),
    ),
    [accountId, apiKeyId, amount, at, payouts],
  );
  return {
    account: only(rows.filter((row) => row.api_key_id === null)),
    key: only(rows.filter((row) => row.api_key_id === apiKeyId)),
  };
}

/** A batch item counts on its batch's start day. Counts stop at zero: a wrong count must not block money. */
async function uncountDays(
  db: Queryable,
  { accountId, apiKeyId, amount, payouts }: Sum,
  { at, batchId }: { at: string; batchId: string | null },
): Promise<void> {
  // Lock the account's row first, as everywhere: it guards the others.
  for (const key of [null, apiKeyId]) {
    await db.query(
      `UPDATE payout_days SET value = greatest(value - $4, 0), payouts = greatest(payouts - $6, 0)
       WHERE account_id = $1 AND api_key_id IS NOT DISTINCT FROM $2 AND day = ${dayOf(COUNTED)}`,
      [accountId, key, at, amount, batchId, payouts],
    );
  }
}

const COUNTED = `coalesce((SELECT started_at FROM batches WHERE id = $5), $3::timestamptz)` as const;

type CountedItems = Omit<Sum, 'payouts'> & { id: string; items: number };

/**
 * Counts a whole batch on the day of `at`, also after a restore. The caller checks the limits. `recipients`:
 * the recipient with the highest sum that day, and its sum in this batch.
 */
export async function countItems(db: Queryable, batch: CountedItems, at: string) {
  const { id, accountId, items } = batch;
  const days = await countDays(db, { ...batch, payouts: items }, at);
  // Use one order everywhere, so two batches never deadlock.
  const { rows: recipients } = await db.query(
    `WITH counted AS (
       INSERT INTO payout_recipients AS r (account_id, recipient, known_since, day, value)
       SELECT $2::uuid, recipient, $3::timestamptz, ${dayOf('$3')}, sum(amount)::bigint FROM batch_items
       WHERE batch_id = $1
       GROUP BY recipient ORDER BY recipient
       ${ADDED}
       RETURNING recipient, value, ${DAY_ENDS})
     SELECT c.value, c.day_ends, (SELECT sum(amount)::bigint FROM batch_items i
       WHERE i.batch_id = $1 AND i.recipient = c.recipient) AS own
     FROM counted c ORDER BY c.value DESC LIMIT 1 /* never null: value, day_ends, own */`,
    [id, accountId, at],
  );
  return { days, recipients };
}

/** Uncounts, on the start day, items that never became payouts. */
export async function uncountItems(db: Queryable, left: CountedItems & { startedAt: string | null }) {
  const { id, accountId, startedAt, items } = left;
  if (startedAt === null || items === 0) return;
  await uncountDays(db, { ...left, payouts: items }, { at: startedAt, batchId: null });
  // All rows exist since the start. An upsert always uses the key; a join on a new batch timed out.
  await db.query(
    `INSERT INTO payout_recipients AS r (account_id, recipient, known_since, day, value)
     SELECT $1::uuid, recipient, $3::timestamptz, ${dayOf('$3')}, sum(amount)::bigint FROM batch_items x
     WHERE batch_id = $2
       AND NOT EXISTS (SELECT FROM transactions t WHERE t.id = x.transaction_id) GROUP BY recipient
     ORDER BY recipient
     ON CONFLICT (account_id, recipient) DO UPDATE SET
       value = CASE WHEN r.day = excluded.day THEN greatest(r.value - excluded.value, 0) ELSE r.value END`,
    [accountId, id, startedAt],
  );
}

/** Records recipients also for a refused batch: a cool-off runs from the first attempt. */
export async function noteRecipients(db: Queryable, batch: Pick<CountedItems, 'id' | 'accountId'>) {
  await db.query(
    `INSERT INTO payout_recipients (account_id, recipient, known_since, day, value)
       SELECT DISTINCT $2::uuid, recipient, now(), ${dayOf('now()')}, 0 FROM batch_items WHERE batch_id = $1
       ORDER BY recipient
       ON CONFLICT (account_id, recipient) DO NOTHING`,
    [batch.id, batch.accountId],
  );
}

export function isCounted(transaction: Transaction): transaction is TransactionOf<CountedMode> {
  return kindOf(transaction).limits === 'payout';
}

/** Uncounts a failed payout on its day. `ledger check` reports wrong counts. */
export async function uncountPayout(db: Queryable, payout: TransactionOf<CountedMode>): Promise<void> {
  const { accountId, amount, createdAt, batchId } = payout;
  await uncountDays(db, { ...payout, payouts: 1 }, { at: createdAt, batchId });
  await db.query(
    `UPDATE payout_recipients SET value = greatest(value - $4, 0)
     WHERE account_id = $1 AND recipient = $2 AND day = ${dayOf(COUNTED)}`,
    [accountId, recipientOf(payout), createdAt, amount, batchId],
  );
}

/** Returns a refusal if this push duplicates another one. Only duplicates wait for each other. */
export async function checkTwin(db: Queryable, submission: Guarded): Promise<LimitRefusal | null> {
  const { accountId, apiKeyId, request } = submission;
  const { rows } = await db.query(SELECT_LIMITS, [accountId, apiKeyId]);
  const limits = await byOwner(db, rows);
  if (twinWindowOf(limits) === null) return null;
  await db.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    ['twin', accountId, request.mode, recipientOf(request), request.amount].join(' '),
  ]);
  return refusalAsTwin({ limits, twinAt: await findTwin(db, submission, limits) });
}

/** Stores the refusal under its key. Records the payout's recipient, which starts the cool-off. */
export function refusedByLimits({ accountId, request }: Guarded, { code, message }: LimitRefusal): Refused {
  const refused = kept(code, message);
  if (kinds[request.mode].limits !== 'payout') return refused;
  const note = async (db: Queryable) => {
    await db.query(
      `INSERT INTO payout_recipients (account_id, recipient, known_since, day, value)
       VALUES ($1, $2, now(), ${dayOf('now()')}, 0) ON CONFLICT (account_id, recipient) DO NOTHING`,
      [accountId, recipientOf(request)],
    );
  };
  return { ...refused, note };
}

/** Returns when the newest duplicate (not failed, or paid late) was accepted; now if a batch will pay it. */
async function findTwin(db: Queryable, submission: Guarded, limits: LimitsByOwner): Promise<string | null> {
  const window = twinWindowOf(limits);
  if (window === null) return null;
  const { accountId, transactionId, request } = submission;
  const party = partyOf(request);
  const { mode, amount } = request;
  const { rows } =
    party.kind === 'bank'
      ? await db.query(
          `${TWINS} AND account_number = $6 AND bic = $7), ${waitingTwin("$7 || '/' || $6")}) AS at`,
          [accountId, transactionId, mode, amount, window, party.accountNumber, party.bic],
        )
      : await db.query(`${TWINS} AND msisdn = $6), ${waitingTwin('$6')}) AS at`, [
          accountId,
          transactionId,
          mode,
          amount,
          window,
          party.msisdn,
        ]);
  return rows[0].at;
}

/** SQL: a running batch still has to pay this recipient. Uses the index on recipients. */
const waitingTwin = <const R extends string>(recipient: R) =>
  `(SELECT now() FROM batch_items i JOIN batches b ON b.id = i.batch_id
     WHERE i.recipient = ${recipient} AND i.amount = $4 AND i.mode = $3 AND b.account_id = $1
       AND b.status IN ('running', 'paused')
       AND NOT EXISTS (SELECT FROM transactions t WHERE t.id = i.transaction_id) LIMIT 1)` as const;

const TWINS = `SELECT greatest((SELECT max(created_at) FROM transactions t
     WHERE account_id = $1 AND id <> $2 AND mode = $3 AND amount = $4
       AND (status NOT IN ('failed', 'cancelled') OR ${PAID_LATE})
       AND created_at > now() - $5 * interval '1 second'` as const;

export const SELECT_LIMITS = prepared(
  `SELECT * FROM limits WHERE account_id = $1 AND (api_key_id IS NULL OR api_key_id = $2)
   ORDER BY set_at DESC`,
);

const ZONE = 'Africa/Dar_es_Salaam';

/** Keeps a recipient's last day of payment; a restored earlier payout does not change it. */
const ADDED = `ON CONFLICT (account_id, recipient) DO UPDATE SET
       value = CASE WHEN r.day > excluded.day THEN r.value
         WHEN r.day = excluded.day THEN r.value + excluded.value ELSE excluded.value END,
       day = greatest(r.day, excluded.day)` as const;
const DAY_ENDS = `(day + 1)::timestamp AT TIME ZONE '${ZONE}' AS day_ends` as const;

function dayOf<const M extends string>(moment: M) {
  return `(${moment}::timestamptz AT TIME ZONE '${ZONE}')::date` as const;
}

export async function byOwner(db: Queryable, rows: RowOf<typeof SELECT_LIMITS>[]): Promise<LimitsByOwner> {
  const account = rows.filter((row) => row.api_key_id === null);
  const key = rows.filter((row) => row.api_key_id !== null);
  return {
    account: (await newestProven(db, account)).limits,
    key: (await newestProven(db, key)).limits,
  };
}

function recipientOf(of: MoneyRequest<GuardedMode> | TransactionOf<CountedMode>): string {
  const party = partyOf(of);
  return party.kind === 'bank' ? `${party.bic}/${party.accountNumber}` : party.msisdn;
}
