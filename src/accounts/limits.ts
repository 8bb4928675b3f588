import { GatewayError } from '../domain/errors.ts';
import {
  forEachLimit,
  type LimitName,
  type Limits,
  limitRules,
  noLimits,
  raisedBy,
  requireLimits,
} from '../domain/limits.ts';
import { MINOR_PER_UNIT } from '../domain/money.ts';
import { type Actor, audit } from '../platform/db/audit.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { DEFAULT, insert } from '../platform/db/write.ts';

export type LimitSubject = { accountId: string; apiKeyId: string | null };

const COLUMNS =
  'payout_max, payout_daily_max, payouts_per_day, recipient_daily_max, new_recipient_cooloff_s, duplicate_window_s';

export async function limitsOf(db: Queryable, { accountId, apiKeyId }: LimitSubject): Promise<Limits> {
  const { rows } = await db.query(
    `SELECT ${COLUMNS} FROM limits WHERE account_id = $1 AND api_key_id IS NOT DISTINCT FROM $2`,
    [accountId, apiKeyId],
  );
  return readLimits(rows[0]);
}

export function readLimits(row: Limits | undefined): Limits {
  return row ? forEachLimit((name) => row[name]) : { ...noLimits };
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
  /** sets a named limit; null removes it; the rest stays */
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
  const before = await lockLimits(db, change);
  const limits = { ...before, ...change.limits };
  const raised = raisedBy(before, limits);
  if (raised.length > 0 && !mayRaise) return { applied: false, raised, limits: before, before };
  await db.query(
    `UPDATE limits SET (${COLUMNS}, updated_at) = ($3, $4, $5, $6, $7, $8, now())
     WHERE account_id = $1 AND api_key_id IS NOT DISTINCT FROM $2`,
    [
      accountId,
      apiKeyId,
      limits.payout_max,
      limits.payout_daily_max,
      limits.payouts_per_day,
      limits.recipient_daily_max,
      limits.new_recipient_cooloff_s,
      limits.duplicate_window_s,
    ],
  );
  await audit(db, {
    actor: change.actor,
    action: 'limits.set',
    subject: apiKeyId ?? accountId,
    detail: { account_id: accountId, before, after: limits, proposal: proposalId },
  });
  return { applied: true, raised, limits, before };
}

/** Returns the limits as they are until the transaction ends: nobody else changes them meanwhile. */
export async function lockLimits(db: Queryable, { accountId, apiKeyId }: LimitSubject): Promise<Limits> {
  await insert(
    db,
    'limits',
    {
      account_id: accountId,
      api_key_id: apiKeyId,
      payout_max: DEFAULT,
      payout_daily_max: DEFAULT,
      payouts_per_day: DEFAULT,
      recipient_daily_max: DEFAULT,
      new_recipient_cooloff_s: DEFAULT,
      duplicate_window_s: DEFAULT,
      updated_at: DEFAULT,
    },
    { onConflict: '(account_id, api_key_id) DO NOTHING' },
  );
  const { rows } = await db.query(
    `SELECT ${COLUMNS} FROM limits WHERE account_id = $1 AND api_key_id IS NOT DISTINCT FROM $2 FOR UPDATE`,
    [accountId, apiKeyId],
  );
  return readLimits(rows[0]);
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
