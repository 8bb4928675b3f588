import type { Budget, budgets } from '../domain/data/budgets.ts';
import { DAY_MS, DAY_OFFSET_MS } from '../domain/day.ts';
import { GatewayError } from '../domain/errors.ts';
import { type Message, say } from '../domain/messages.ts';
import type { Database, Queryable } from '../platform/db/pool.ts';

/** Actions limited per account, because their rows are kept for months or they query other systems. */
type Use = 'bills' | 'previews' | keyof typeof budgets;

const LENGTH_MS = { day: DAY_MS, hour: 3_600_000 };
const SAID = { day: 'uses_a_day', hour: 'uses_an_hour' } as const;
const words: Record<Use, Message> = {
  bills: say('uses_bills'),
  previews: say('uses_previews'),
  resends: say('uses_resends'),
  'changes of settings': say('uses_settings'),
  pings: say('uses_pings'),
};
const KEPT_DAYS = 7;

type Asked = { accountId: string; use: Use; budget: Budget; now: Date };

/** Counts uses of a day or hour, also failed ones. Throws `rate_limited` beyond the budget (0: no limit). */
export async function countUse(
  db: Queryable,
  { count = 1, ...asked }: Asked & { count?: number },
): Promise<void> {
  const { accountId, use, budget } = asked;
  if (budget.most === 0 || count === 0) return;
  const { since, endsInMs } = periodOf(asked);
  const { rowCount } = await db.query(
    `INSERT INTO uses AS known (account_id, use, since, uses) SELECT $1, $2, $3, $4::integer
     WHERE $4 <= $5::integer
     ON CONFLICT (account_id, use, since) DO UPDATE SET uses = known.uses + $4 WHERE known.uses + $4 <= $5`,
    [accountId, use, since, count, budget.most],
  );
  if (rowCount === 1) return;
  const seconds = Math.ceil(endsInMs / 1000);
  throw new GatewayError('rate_limited', say(SAID[budget.every], { count: budget.most, use: words[use] }), {
    headers: {
      'Retry-After': String(seconds),
      'RateLimit-Policy': `"account-${budget.every}";q=${budget.most};w=${LENGTH_MS[budget.every] / 1000}`,
      RateLimit: `"account-${budget.every}";r=0;t=${seconds}`,
    },
  });
}

/** Returns how many uses of this day or hour are left, at least one. Throws `rate_limited` if none is. */
export async function usesLeft(db: Queryable, asked: Asked): Promise<number> {
  const { rows } = await db.query('SELECT uses FROM uses WHERE account_id = $1 AND use = $2 AND since = $3', [
    asked.accountId,
    asked.use,
    periodOf(asked).since,
  ]);
  const left = asked.budget.most - (rows[0]?.uses ?? 0);
  if (left <= 0) await countUse(db, asked);
  return left;
}

function periodOf({ budget, now }: Asked) {
  const lengthMs = LENGTH_MS[budget.every];
  const passedMs = (now.getTime() + DAY_OFFSET_MS) % lengthMs;
  return { since: new Date(now.getTime() - passedMs), endsInMs: lengthMs - passedMs };
}

export async function purgeUses(database: Database): Promise<void> {
  await database.query(`DELETE FROM uses WHERE since < now() - make_interval(days => ${KEPT_DAYS})`);
}
