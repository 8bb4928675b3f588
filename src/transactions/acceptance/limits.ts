import { readLimits } from '../../accounts/limits.ts';
import { kinds, type ModeWith } from '../../domain/kinds.ts';
import {
  type LimitRefusal,
  type LimitsByOwner,
  refusalAsTwin,
  refusalByLimits,
  twinWindowOf,
} from '../../domain/limits.ts';
import type { Accepted, MoneyRequest, Submission } from '../../domain/operation.ts';
import { partyOf } from '../../domain/party.ts';
import { kindOf, type Transaction, type TransactionOf } from '../../domain/transaction.ts';
import type { Queryable, RowOf } from '../../platform/db/pool.ts';
import { naming, prepared } from '../../platform/db/prepared.ts';
import { only } from '../../platform/db/rows.ts';
import { limitAnswer } from './answers.ts';
import { refuse } from './submissions.ts';

/**
 * Limits of an account and of its keys, inside the accepting transaction. A payout is counted first and checked
 * afterwards. The first statement locks the account's row of the day, so the next payout sees this one, and many
 * payouts at once never exceed a limit. A refusal takes the count back.
 */

type CountedMode = ModeWith<{ limits: 'payout' }>;
type GuardedMode = CountedMode | ModeWith<{ limits: 'twins' }>;
type Counted = Submission<MoneyRequest<CountedMode>>;
type Guarded = Submission<MoneyRequest<GuardedMode>>;

/**
 * Counts a payout, and says why a limit refuses it. Its transaction is stored already; the caller takes both back when it
 * is refused. Locks its rows before any of the ledger. `now`: the time of this transaction.
 */
export async function countPayout(
  db: Queryable,
  submission: Counted,
  now: string,
): Promise<LimitRefusal | null> {
  const { accountId, apiKeyId, request } = submission;
  const { days, recipient } = await count(db, submission, now);
  const { rows } = await db.query(SELECT_LIMITS, [accountId, apiKeyId]);
  const limits = byOwner(rows);
  const twinAt = await findTwin(db, submission, limits);
  return refusalByLimits({ amount: request.amount, now, ...recipient, limits, days, twinAt });
}

/**
 * Counts a payout that was accepted before, at `acceptedAt`. Its limits were checked then and are not checked again.
 */
export async function countAgain(db: Queryable, submission: Counted, acceptedAt: string): Promise<void> {
  await count(db, submission, acceptedAt);
}

async function count(db: Queryable, { accountId, apiKeyId, request }: Counted, at: string) {
  const days = await db.query(
    naming(
      prepared(`INSERT INTO payout_days (account_id, api_key_id, day, value, payouts)
     SELECT $1, key, ${dayOf('$4')}, $3, 1 FROM unnest(ARRAY[NULL, $2::text]) AS key
     ON CONFLICT (account_id, api_key_id, day) DO UPDATE
       SET value = payout_days.value + excluded.value, payouts = payout_days.payouts + 1
     RETURNING api_key_id, value, payouts`),
      [],
    ),
    [accountId, apiKeyId, request.amount, at],
  );
  // The last day on which it was paid: a payout of an earlier one, brought back, is not of that day.
  const recipients = await db.query(
    naming(
      prepared(`INSERT INTO payout_recipients AS r (account_id, recipient, known_since, day, value)
     VALUES ($1, $2, $4, ${dayOf('$4')}, $3)
     ON CONFLICT (account_id, recipient) DO UPDATE SET
       value = CASE WHEN r.day > excluded.day THEN r.value WHEN r.day = excluded.day THEN r.value + excluded.value
         ELSE excluded.value END,
       day = greatest(r.day, excluded.day)
     RETURNING known_since, value, (day + 1)::timestamp AT TIME ZONE '${ZONE}' AS day_ends /* never null: day_ends */`),
      [],
    ),
    [accountId, recipientOf(request), request.amount, at],
  );
  const { known_since: knownSince, value, day_ends: dayEnds } = only(recipients.rows);
  return {
    days: {
      account: only(days.rows.filter((row) => row.api_key_id === null)),
      key: only(days.rows.filter((row) => row.api_key_id === apiKeyId)),
    },
    recipient: { recipient: { value, knownSince }, dayEnds },
  };
}

/** Whether its value counts for the limits of its day. */
export function isCounted(transaction: Transaction): transaction is TransactionOf<CountedMode> {
  return kindOf(transaction).limits === 'payout';
}

/**
 * A counted payout failed, so its day has room again. A wrong count never stops money: it stays at zero, and
 * `ledger check` names it.
 */
export async function uncountPayout(db: Queryable, payout: TransactionOf<CountedMode>): Promise<void> {
  const { accountId, apiKeyId, amount, createdAt, batchId } = payout;
  // An item counts on the day on which its batch started.
  const counted = `coalesce((SELECT started_at FROM batches WHERE id = $5), $3::timestamptz)` as const;
  // The account's row first, as everywhere: it is the lock of the others.
  for (const key of [null, apiKeyId]) {
    await db.query(
      `UPDATE payout_days SET value = greatest(value - $4, 0), payouts = greatest(payouts - 1, 0)
       WHERE account_id = $1 AND api_key_id IS NOT DISTINCT FROM $2 AND day = ${dayOf(counted)}`,
      [accountId, key, createdAt, amount, batchId],
    );
  }
  await db.query(
    `UPDATE payout_recipients SET value = greatest(value - $4, 0)
     WHERE account_id = $1 AND recipient = $2 AND day = ${dayOf(counted)}`,
    [accountId, recipientOf(payout), createdAt, amount, batchId],
  );
}

/** Says whether a push is another one's twin. Only twins wait for each other. */
export async function checkTwin(db: Queryable, submission: Guarded): Promise<LimitRefusal | null> {
  const { accountId, apiKeyId, request } = submission;
  const { rows } = await db.query(SELECT_LIMITS, [accountId, apiKeyId]);
  const limits = byOwner(rows);
  if (twinWindowOf(limits) === null) return null;
  await db.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    ['twin', accountId, request.mode, recipientOf(request), request.amount].join(' '),
  ]);
  return refusalAsTwin({ limits, twinAt: await findTwin(db, submission, limits) });
}

/**
 * Keeps the refusal under its key. From this request on the recipient of a payout is known: the cool-off of a new one runs
 * from the first attempt to pay it.
 */
export async function refuseByLimits(
  db: Queryable,
  submission: Guarded,
  refusal: LimitRefusal,
): Promise<Accepted> {
  if (kinds[submission.request.mode].limits === 'payout') {
    await db.query(
      `INSERT INTO payout_recipients (account_id, recipient, known_since, day, value)
       VALUES ($1, $2, now(), ${dayOf('now()')}, 0) ON CONFLICT (account_id, recipient) DO NOTHING`,
      [submission.accountId, recipientOf(submission.request)],
    );
  }
  return refuse(db, submission, limitAnswer(submission, refusal));
}

/** When the latest twin within the window was accepted that has not failed; now where a batch is about to pay it; null: none. */
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
          [...([accountId, transactionId, mode, amount, window] as const), party.accountNumber, party.bic],
        )
      : await db.query(`${TWINS} AND msisdn = $6), ${waitingTwin('$6')}) AS at`, [
          ...([accountId, transactionId, mode, amount, window] as const),
          party.msisdn,
        ]);
  return rows[0].at;
}

/** An item of a batch that runs, whose payout is still to come. The index of its recipient finds it, or that there is none. */
const waitingTwin = <const R extends string>(recipient: R) =>
  `(SELECT now() FROM batch_items i JOIN batches b ON b.id = i.batch_id
     WHERE i.recipient = ${recipient} AND i.amount = $4 AND i.mode = $3 AND b.account_id = $1 AND b.status IN ('running', 'paused')
       AND NOT EXISTS (SELECT FROM transactions t WHERE t.id = i.transaction_id) LIMIT 1)` as const;

const TWINS = `SELECT greatest((SELECT max(created_at) FROM transactions
     WHERE account_id = $1 AND id <> $2 AND mode = $3 AND amount = $4 AND status NOT IN ('failed', 'cancelled')
       AND created_at > now() - $5 * interval '1 second'`;

export const SELECT_LIMITS = prepared(
  'SELECT * FROM limits WHERE account_id = $1 AND (api_key_id IS NULL OR api_key_id = $2)',
);

const ZONE = 'Africa/Dar_es_Salaam';

/** The day in Dar es Salaam of a moment, in SQL. */
export function dayOf<const M extends string>(moment: M) {
  return `(${moment}::timestamptz AT TIME ZONE '${ZONE}')::date` as const;
}

export function byOwner(rows: RowOf<typeof SELECT_LIMITS>[]): LimitsByOwner {
  return {
    account: readLimits(rows.find((row) => row.api_key_id === null)),
    key: readLimits(rows.find((row) => row.api_key_id !== null)),
  };
}

/** As payout_recipients names whom money goes to. */
function recipientOf(of: MoneyRequest<GuardedMode> | TransactionOf<CountedMode>): string {
  const party = partyOf(of);
  return party.kind === 'bank' ? `${party.bic}/${party.accountNumber}` : party.msisdn;
}
