import type { Database, Queryable } from '../db/pool.ts';
import { DAY_MS, DAY_OFFSET_MS } from '../domain/day.ts';
import { GatewayError } from '../domain/errors.ts';

/** What an account may do only so often a day: actions whose rows are kept for months, or that ask a network. */
type Use = 'bills' | 'previews';

const KEPT_DAYS = 7;

/**
 * Counts one use of today, the day of Dar es Salaam. Throws `rate_limited` when there were `perDay` before; 0: no limit. A
 * request that fails afterwards has been counted.
 */
export async function countUse(
  db: Queryable,
  { accountId, use, perDay, now }: { accountId: string; use: Use; perDay: number; now: Date },
): Promise<void> {
  if (perDay === 0) return;
  const local = now.getTime() + DAY_OFFSET_MS;
  const { rowCount } = await db.query(
    `INSERT INTO daily_uses AS known (account_id, day, use, uses) VALUES ($1, $2, $3, 1)
     ON CONFLICT (account_id, day, use) DO UPDATE SET uses = known.uses + 1 WHERE known.uses < $4`,
    [accountId, new Date(local).toISOString().slice(0, 10), use, perDay],
  );
  if (rowCount === 1) return;
  const seconds = Math.ceil((DAY_MS - (local % DAY_MS)) / 1000);
  throw new GatewayError('rate_limited', `This account may make ${perDay} ${use} a day; try again tomorrow`, {
    headers: {
      'Retry-After': String(seconds),
      'RateLimit-Policy': `"account-day";q=${perDay};w=${DAY_MS / 1000}`,
      RateLimit: `"account-day";r=0;t=${seconds}`,
    },
  });
}

/** Deletes the counts of past days. */
export async function purgeUses(database: Database): Promise<void> {
  await database.query(`DELETE FROM daily_uses WHERE day < now()::date - ${KEPT_DAYS}`);
}
