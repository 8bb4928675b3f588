import { CURRENCY, formatMoney, type Minor, MONEY_MAX, minor } from './money.ts';

/**
 * What operators bound, for an account and where they like for a key of it. Amounts are minor units without the fee, days
 * are those of Dar es Salaam. `tighter` is the way in which a limit bounds more, `most` its greatest value.
 */
export const limitRules = {
  /** one payout */
  payout_max: { unit: 'money', tighter: 'lower', most: MONEY_MAX },
  /** all payouts of a day */
  payout_daily_max: { unit: 'money', tighter: 'lower', most: MONEY_MAX },
  payouts_per_day: { unit: 'count', tighter: 'lower', most: 1_000_000_000 },
  /** all payouts of the account to one recipient on a day, whichever key sent them */
  recipient_daily_max: { unit: 'money', tighter: 'lower', most: MONEY_MAX },
  /** from the first request for a recipient until money leaves for it */
  new_recipient_cooloff_s: { unit: 'seconds', tighter: 'higher', most: 30 * 86_400 },
  /** how long the same payment again, under another Idempotency-Key, is taken for a mistake */
  duplicate_window_s: { unit: 'seconds', tighter: 'higher', most: 7 * 86_400 },
} as const satisfies Record<string, Rule>;

type Rule = { unit: 'money' | 'count' | 'seconds'; tighter: 'lower' | 'higher'; most: number };

export type LimitName = keyof typeof limitRules;
/** null: no limit */
export type Limits = Record<LimitName, number | null>;

export const limitNames = Object.keys(limitRules) as LimitName[];

/** Something for each limit. */
export function forEachLimit<Value>(of: (name: LimitName) => Value): Record<LimitName, Value> {
  return Object.fromEntries(limitNames.map((name) => [name, of(name)])) as Record<LimitName, Value>;
}

export const noLimits: Readonly<Limits> = forEachLimit(() => null);

/** For people: `50,000.00 TZS`, `60 s`, `none`. */
export function describeLimit(name: LimitName, value: number | null): string {
  const { unit } = limitRules[name];
  if (value === null) return 'none';
  if (unit === 'money') return money(value);
  return unit === 'seconds' ? `${value} s` : String(value);
}

/** Throws a RangeError for a value that no limit can have. */
export function requireLimits(limits: Partial<Limits>): void {
  for (const name of limitNames) {
    const value = limits[name] ?? 1;
    if (!Number.isSafeInteger(value) || value < 1 || value > limitRules[name].most)
      throw new RangeError(`${name} must be a whole number from 1 to ${limitRules[name].most}, or none`);
  }
}

/** Which guards a change weakens. Weakening needs two people; one who may set limits can tighten them at once. */
export function raisedBy(before: Limits, after: Limits): LimitName[] {
  return limitNames.filter((name) => {
    const [old, now] = [before[name], after[name]];
    if (old === null || old === now) return false;
    return now === null || (limitRules[name].tighter === 'lower' ? now > old : now < old);
  });
}

/** Whose limit it is. */
type LimitOwner = 'account' | 'key';
export type LimitsByOwner = Record<LimitOwner, Limits>;

/** A payout, or a push, and what there was on its day; the payout itself is in every sum. Times are ISO 8601 UTC. */
export type LimitedRequest = {
  amount: Minor;
  now: string;
  /** when the day ends in Dar es Salaam */
  dayEnds: string;
  limits: LimitsByOwner;
  days: Record<LimitOwner, { value: number; payouts: number }>;
  recipient: { value: number; knownSince: string };
  /** when the latest like it was accepted, within the longer window of the two; null: none */
  twinAt: string | null;
};

export type LimitRefusal = { code: 'limit_exceeded' | 'duplicate_suspected'; message: string };

/** Why a limit refuses it, and when it no longer will; null when none does. */
export function refusalByLimits(asked: LimitedRequest): LimitRefusal | null {
  const twin = refusalAsTwin(asked);
  if (twin) return twin;
  for (const owner of ['account', 'key'] as const) {
    const reason = reasonOf(asked, owner);
    if (reason) return { code: 'limit_exceeded', message: `${reason}. ${SEND_ANEW}` };
  }
  return null;
}

const SEND_ANEW = 'Nothing was done; send the payout with a new Idempotency-Key when it fits';

/** The same again within the window of account or key. */
export function refusalAsTwin({
  twinAt,
  limits,
}: Pick<LimitedRequest, 'twinAt' | 'limits'>): LimitRefusal | null {
  const window = twinWindowOf(limits);
  if (twinAt === null || window === null) return null;
  return {
    code: 'duplicate_suspected',
    message:
      `The same amount with the same number or account was accepted at ${toSeconds(twinAt)} under another ` +
      `Idempotency-Key, and duplicate_window_s is ${window} s. Nothing was done; if you mean it, send it with a new ` +
      `Idempotency-Key after ${after(twinAt, window)}`,
  };
}

/** In seconds, the longer one of account and key; null when neither has one. */
export function twinWindowOf({ account, key }: LimitsByOwner): number | null {
  const longest = Math.max(account.duplicate_window_s ?? 0, key.duplicate_window_s ?? 0);
  return longest === 0 ? null : longest;
}

function reasonOf(asked: LimitedRequest, owner: LimitOwner): string | null {
  const { amount, recipient, dayEnds } = asked;
  const limits = asked.limits[owner];
  const day = asked.days[owner];
  const whose = owner === 'account' ? 'this account' : 'this API key';
  const free = `It is free again at ${toSeconds(dayEnds)}, midnight in Dar es Salaam`;
  const isAbove = (name: LimitName, value: number) => value > (limits[name] ?? Number.POSITIVE_INFINITY);
  const spent = (name: LimitName, sum: number, what: string) =>
    `${what} of ${whose} may be ${money(limits[name])} in all (${name}): ${money(sum - amount)} are used, and ` +
    `${money(amount)} would be too much. ${free}`;

  if (isAbove('payout_max', amount)) {
    return `A payout of ${whose} may be at most ${money(limits.payout_max)} (payout_max). Time does not change it: send less, or ask for a higher limit`;
  }
  const cooloff = limits.new_recipient_cooloff_s;
  if (cooloff !== null && Date.parse(recipient.knownSince) + cooloff * 1_000 > Date.parse(asked.now)) {
    return `This recipient is new to ${whose}, which waits ${cooloff} s before it pays one (new_recipient_cooloff_s). It is possible from ${after(recipient.knownSince, cooloff)}`;
  }
  if (isAbove('payouts_per_day', day.payouts)) {
    return `The payouts of a day of ${whose} may be ${limits.payouts_per_day} (payouts_per_day), and all are used. ${free}`;
  }
  if (isAbove('recipient_daily_max', recipient.value))
    return spent('recipient_daily_max', recipient.value, 'The payouts of a day to one recipient');
  if (isAbove('payout_daily_max', day.value))
    return spent('payout_daily_max', day.value, 'The payouts of a day');
  return null;
}

function money(amount: number | null): string {
  return `${formatMoney(minor(amount ?? 0))} ${CURRENCY}`;
}

function after(time: string, seconds: number): string {
  // Rounded up: at the second that is named it is really over.
  return new Date(Math.ceil(Date.parse(time) / 1_000 + seconds) * 1_000).toISOString().replace('.000Z', 'Z');
}

function toSeconds(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}
