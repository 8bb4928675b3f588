import { type Message, say } from './messages.ts';
import { CURRENCY, formatMoney, type Minor, MONEY_MAX, minor } from './money.ts';

/**
 * Operators' limits for an account or a key. Amounts are minor units without the fee; days are of Dar es
 * Salaam. `tighter`: the direction that allows less. `most`: the greatest value.
 */
export const limitRules = {
  payout_max: { unit: 'money', tighter: 'lower', most: MONEY_MAX },
  payout_daily_max: { unit: 'money', tighter: 'lower', most: MONEY_MAX },
  payouts_per_day: { unit: 'count', tighter: 'lower', most: 1_000_000_000 },
  /** the account's payouts to one recipient on a day, by any key */
  recipient_daily_max: { unit: 'money', tighter: 'lower', most: MONEY_MAX },
  /** from the first request for a recipient until money may leave */
  new_recipient_cooloff_s: { unit: 'seconds', tighter: 'higher', most: 30 * 86_400 },
  /** time in which the same payment under another Idempotency-Key counts as a mistake */
  duplicate_window_s: { unit: 'seconds', tighter: 'higher', most: 7 * 86_400 },
} as const satisfies Record<string, Rule>;

export const limitMeanings: Record<LimitName, string> = {
  payout_max: 'One payout, in minor units',
  payout_daily_max: 'All payouts of a day, in minor units',
  payouts_per_day: 'How many payouts a day',
  recipient_daily_max: 'All payouts of a day to one recipient, in minor units',
  new_recipient_cooloff_s: 'How long a new recipient waits for its first payout, in seconds',
  duplicate_window_s: 'How long the same payment again is taken for a mistake, in seconds',
};

type Rule = { unit: 'money' | 'count' | 'seconds'; tighter: 'lower' | 'higher'; most: number };

export type LimitName = keyof typeof limitRules;
/** null: no limit */
export type Limits = Record<LimitName, number | null>;

export const limitNames = Object.keys(limitRules) as LimitName[];

export function forEachLimit<Value>(of: (name: LimitName) => Value): Record<LimitName, Value> {
  return Object.fromEntries(limitNames.map((name) => [name, of(name)])) as Record<LimitName, Value>;
}

export const noLimits: Readonly<Limits> = forEachLimit(() => null);

/** These limits refuse every payout. */
export const strictestLimits: Readonly<Limits> = forEachLimit((name) =>
  limitRules[name].tighter === 'lower' ? 1 : limitRules[name].most,
);

/** Writes for people `50,000.00 TZS`, `60 s` or `none`. */
export function describeLimit(name: LimitName, value: number | null): string {
  const { unit } = limitRules[name];
  if (value === null) return 'none';
  if (unit === 'money') return money(value);
  return unit === 'seconds' ? `${value} s` : String(value);
}

/** Throws RangeError for an impossible value. */
export function requireLimits(limits: Partial<Limits>): void {
  for (const name of limitNames) {
    const value = limits[name] ?? 1;
    if (!Number.isSafeInteger(value) || value < 1 || value > limitRules[name].most)
      throw new RangeError(`${name} must be a whole number from 1 to ${limitRules[name].most}, or none`);
  }
}

/** Returns the weakened guards. Weakening needs two people; one may tighten at once. */
export function raisedBy(before: Limits, after: Limits): LimitName[] {
  return limitNames.filter((name) => {
    const [old, now] = [before[name], after[name]];
    if (old === null || old === now) return false;
    return now === null || (limitRules[name].tighter === 'lower' ? now > old : now < old);
  });
}

type LimitOwner = 'account' | 'key';
export type LimitsByOwner = Record<LimitOwner, Limits>;

/** Sums include the payout itself. Times are ISO 8601 UTC. */
export type LimitedRequest = {
  amount: Minor;
  now: string;
  dayEnds: string;
  limits: LimitsByOwner;
  days: Record<LimitOwner, { value: number; payouts: number }>;
  recipient: { value: number; knownSince: string };
  /** when the latest duplicate within the longer window was accepted; null: none */
  twinAt: string | null;
};

export type LimitRefusal = { code: 'limit_exceeded' | 'duplicate_suspected'; message: Message };

export function refusalByLimits(asked: LimitedRequest): LimitRefusal | null {
  const twin = refusalAsTwin(asked);
  if (twin) return twin;
  const reason = reasonByLimits(asked);
  if (reason === null) return null;
  const message = say('two_sentences', { first: reason, second: say('send_when_it_fits') });
  return { code: 'limit_exceeded', message };
}

/** Returns the refusal of a payout that is too large on any day. */
export function reasonByPayoutMax(amount: Minor, limits: LimitsByOwner): Message | null {
  const owner = (['account', 'key'] as const).find((one) => amount > (limits[one].payout_max ?? Infinity));
  if (owner === undefined) return null;
  return say('limit_of_payout', { whose: whoseOf(owner), amount: money(limits[owner].payout_max) });
}

const whoseOf = (owner: LimitOwner) => (owner === 'account' ? say('this_account') : say('this_api_key'));

export function reasonByLimits(asked: Omit<LimitedRequest, 'twinAt'>): Message | null {
  return (
    reasonByPayoutMax(asked.amount, asked.limits) ?? reasonOf(asked, 'account') ?? reasonOf(asked, 'key')
  );
}

export function refusalAsTwin({
  twinAt,
  limits,
}: Pick<LimitedRequest, 'twinAt' | 'limits'>): LimitRefusal | null {
  const window = twinWindowOf(limits);
  if (twinAt === null || window === null) return null;
  const times = { time: toSeconds(twinAt), seconds: window, later: after(twinAt, window) };
  return { code: 'duplicate_suspected', message: say('duplicate_suspected', times) };
}

/** Returns the longer window in seconds; null without one. */
export function twinWindowOf({ account, key }: LimitsByOwner): number | null {
  const longest = Math.max(account.duplicate_window_s ?? 0, key.duplicate_window_s ?? 0);
  return longest === 0 ? null : longest;
}

function reasonOf(asked: Omit<LimitedRequest, 'twinAt'>, owner: LimitOwner): Message | null {
  const { amount, recipient, dayEnds } = asked;
  const limits = asked.limits[owner];
  const day = asked.days[owner];
  const whose = whoseOf(owner);
  const time = toSeconds(dayEnds);
  const isAbove = (name: LimitName, value: number) => value > (limits[name] ?? Number.POSITIVE_INFINITY);
  const spent = (name: LimitName, sum: number) => {
    const [limit, used] = [money(limits[name]), money(sum - amount)];
    return { whose, limit, name, used, amount: money(amount), time };
  };

  const cooloff = limits.new_recipient_cooloff_s;
  if (cooloff !== null && Date.parse(recipient.knownSince) + cooloff * 1_000 > Date.parse(asked.now)) {
    const at = after(recipient.knownSince, cooloff);
    return say('limit_of_new_recipient', { whose, seconds: cooloff, time: at });
  }
  if (isAbove('payouts_per_day', day.payouts))
    return say('limit_of_payouts_a_day', { whose, count: limits.payouts_per_day ?? 0, time });
  if (isAbove('recipient_daily_max', recipient.value))
    return say('limit_of_recipient_a_day', spent('recipient_daily_max', recipient.value));
  if (isAbove('payout_daily_max', day.value))
    return say('limit_of_day', spent('payout_daily_max', day.value));
  return null;
}

function money(amount: number | null): string {
  return `${formatMoney(minor(amount ?? 0))} ${CURRENCY}`;
}

function after(time: string, seconds: number): string {
  // Rounded up, so the named second is after the end.
  return new Date(Math.ceil(Date.parse(time) / 1_000 + seconds) * 1_000).toISOString().replace('.000Z', 'Z');
}

function toSeconds(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}
