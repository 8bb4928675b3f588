import { GatewayError } from '../domain/errors.ts';
import {
  forEachLimit,
  type LimitName,
  type Limits,
  limitRules,
  noLimits,
  raisedBy,
  requireLimits,
  strictestLimits,
} from '../domain/limits.ts';
import { MINOR_PER_UNIT } from '../domain/money.ts';
import { type Actor, audit } from '../platform/db/audit.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { macOfRow, proves } from '../platform/db/proofs.ts';
import { only } from '../platform/db/rows.ts';
import { insert } from '../platform/db/write.ts';

export type LimitSubject = { accountId: string; apiKeyId: string | null };

export async function limitsOf(db: Queryable, subject: LimitSubject): Promise<Limits> {
  return (await newestOf(db, subject)).limits;
}

type Newest = { limits: Limits; setAt: string | null };

async function newestOf(db: Queryable, { accountId, apiKeyId }: LimitSubject): Promise<Newest> {
  const { rows } = await db.query(
    `SELECT * FROM limits WHERE account_id = $1 AND api_key_id IS NOT DISTINCT FROM $2 ORDER BY set_at DESC`,
    [accountId, apiKeyId],
  );
  return newestProven(db, rows);
}

type Row = Parameters<typeof proves<'limits'>>[2] & Limits & { set_at: string };

/** Returns the newest limits with a valid MAC, else the strictest; no rows: none. `rows`: newest first. */
export async function newestProven(db: Queryable, rows: readonly Row[]): Promise<Newest> {
  for (const row of rows)
    if (await proves(db, 'limits', row))
      return { limits: forEachLimit((name) => row[name]), setAt: row.set_at };
  return { limits: rows.length === 0 ? { ...noLimits } : { ...strictestLimits }, setAt: null };
}

/** Production has these defaults. Whole shillings and seconds. */
const productionLimits: Partial<Limits> = {
  payout_daily_max: 50_000_000,
  recipient_daily_max: 5_000_000,
  duplicate_window_s: 60,
};

/** LIMIT_PAYOUT_MAX and so on: whole shillings, payouts or seconds; 0 means no limit. */
export type LimitSettings = { MALIPO_ENV: 'development' | 'production' } & {
  [Name in `LIMIT_${Uppercase<LimitName>}`]?: number | undefined;
};

export function defaultLimitsOf(settings: LimitSettings): Limits {
  const own = settings.MALIPO_ENV === 'production' ? productionLimits : noLimits;
  return forEachLimit((name) => {
    const value = settings[`LIMIT_${name.toUpperCase() as Uppercase<LimitName>}`] ?? own[name] ?? 0;
    return value === 0 ? null : value * (limitRules[name].unit === 'money' ? MINOR_PER_UNIT : 1);
  });
}

export type LimitChange = LimitSubject & {
  /** a number sets a limit, null removes it; other limits stay */
  limits: Partial<Limits>;
  actor: Actor;
  /** agreement of two operators */
  proposalId?: string;
};

/**
 * Sets limits in the caller's transaction, audited; payouts accepted after its commit obey them. Returns the
 * old limits and the weakened guards. If it weakens any and `mayRaise` is false, changes nothing: two
 * operators must agree. Throws `not_found` for a key of another account, RangeError for an impossible value.
 */
export async function setLimits(
  db: Queryable,
  change: LimitChange,
  { mayRaise }: { mayRaise: boolean },
): Promise<{ applied: boolean; raised: LimitName[]; limits: Limits; before: Limits }> {
  const { accountId, apiKeyId, proposalId } = change;
  requireLimits(change.limits);
  await requireOwnKey(db, change);
  const { limits: before, setAt } = await lockLimits(db, change);
  const limits = { ...before, ...change.limits };
  const raised = raisedBy(before, limits);
  if (raised.length > 0 && !mayRaise) return { applied: false, raised, limits: before, before };
  const { rows: moments } = await db.query(
    `SELECT greatest(date_trunc('milliseconds', clock_timestamp()),
       $1::timestamptz + interval '1 millisecond') AS at
     /* never null: at */`,
    [setAt],
  );
  const row = { account_id: accountId, api_key_id: apiKeyId, ...limits, set_at: only(moments).at };
  await insert(db, 'limits', {
    account_id: accountId,
    api_key_id: apiKeyId,
    payout_max: limits.payout_max,
    payout_daily_max: limits.payout_daily_max,
    payouts_per_day: limits.payouts_per_day,
    recipient_daily_max: limits.recipient_daily_max,
    new_recipient_cooloff_s: limits.new_recipient_cooloff_s,
    duplicate_window_s: limits.duplicate_window_s,
    set_at: row.set_at,
    mac: macOfRow(db, 'limits', row),
  });
  await audit(db, {
    actor: change.actor,
    action: 'limits.set',
    subject: apiKeyId ?? accountId,
    detail: { account_id: accountId, before, after: limits, proposal: proposalId },
  });
  return { applied: true, raised, limits, before };
}

/** Locks and returns the limits. Nobody else can change them until the transaction ends. */
export async function lockLimits(db: Queryable, subject: LimitSubject): Promise<Newest> {
  await db.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [subject.accountId]);
  return newestOf(db, subject);
}

/** Throws `not_found` for a key that is not the account's. */
export async function requireOwnKey(db: Queryable, { accountId, apiKeyId }: LimitSubject): Promise<void> {
  if (apiKeyId === null) return;
  const { rowCount } = await db.query('SELECT 1 FROM api_keys WHERE id = $1 AND account_id = $2', [
    apiKeyId,
    accountId,
  ]);
  if (rowCount === 0) throw new GatewayError('not_found', `The account has no key ${apiKeyId}`);
}
