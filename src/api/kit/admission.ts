import { kinds } from '../../domain/kinds.ts';
import type { Flows } from './flows.ts';
import { createPace } from './pace.ts';

/** How much of the limit is open to an account: one that has less than its part may go beyond what the others filled. */
const SHARES = { belowItsPart: 2, above: 0.75 };
/** An account counts as one of those that share for so long after it last asked. */
const ACTIVE_MS = 5_000;

/**
 * For a payout nobody stands at a till. Where pushes, bills or codes are asked for, too, an account has no more of them in flight than answers that come
 * as soon as usual would leave there; and while answers take clearly longer, each place is free only so many times as long
 * after its answer as that took: most of the work of a payout comes then.
 */
const YIELD_TIMES = 2;
const REST_MS_MAX = 2_000;
const HANGS_MS = 1_000;

/** So long a submission waits for its place at most, in its account's own line. */
const LINE_MS = 4_000;
const AFTER_SECONDS = { least: 1, most: 60 };

/** The caller passes false if nobody answered, null if the time taken says nothing about submissions. */
type Leave = (answered: boolean | null) => void;
/** There is no place, and so soon there may be one. */
type Full = { afterSeconds: number };
type Account = {
  merchant: string;
  inFlight: number;
  /** these are young enough to be answered soon; one that hangs holds up no other payout */
  fresh: number;
  /** answered, and its place is not free yet */
  resting: number;
  askedAt: number;
  /** gives way to what customers wait for */
  yields: boolean;
  line: { since: number; take: (place: Leave | Full) => void }[];
};

export type Admission = {
  /**
   * Resolves, once there is a place, to a function that the caller calls at the end. `waits` false takes only
   * a place that is free now. `yields` gives way to submissions that customers wait for.
   */
  enter(accountId: string, how?: { waits?: boolean; yields?: boolean }): Promise<Leave | Full>;
  /** for metrics */
  state(): { limit: number; inFlight: number; waiting: number; refused: number };
};

/**
 * How many submissions of this process may be in flight: more and more while answers come soon; when they no longer do,
 * as many as are answered within the time that is just not slow. Accounts share: one that has less than its part is
 * admitted where one that has more is not. A submission beyond that waits in its account's own line, which is open
 * requests in memory and as long as what is answered in 4 s; the more accounts ask, the shorter it is, so that many
 * together are refused at once. A submission beyond its line is refused: its merchant would wait in vain.
 */
export function createAdmission(now: () => number = () => performance.now()): Admission {
  const pace = createPace(now());
  let refused = 0;
  const begun = new Set<symbol>();
  const accounts = new Map<string, Account>();

  function partOf(at: number): number {
    for (const [id, { inFlight, resting, askedAt, line }] of accounts)
      if (inFlight + resting === 0 && line.length === 0 && at - askedAt > ACTIVE_MS) accounts.delete(id);
    return pace.limit() / Math.max(1, merchantsOf(accounts));
  }

  /** Counts what is in flight, of each account its part at most, so that none shuts out another. */
  function crowd(part: number): number {
    let count = 0;
    for (const { inFlight } of accounts.values()) count += Math.min(inFlight, Math.max(1, part));
    return count;
  }

  /** Payouts yield only while other submissions are asked for. */
  const isYielding = ({ yields }: Account) => yields && [...accounts.values()].some((one) => !one.yields);

  function isFull(own: Account, at: number): boolean {
    const part = partOf(at);
    if (isYielding(own) && own.fresh + own.resting >= Math.max(1, pace.asUsual(at))) return true;
    if (own.inFlight < part) return crowd(part) >= pace.limit() * SHARES.belowItsPart;
    return begun.size >= pace.limit() * SHARES.above;
  }

  function placeOf(own: Account, at: number): Leave {
    const ticket = Symbol();
    begun.add(ticket);
    own.inFlight += 1;
    const age = countFor(HANGS_MS, own, 'fresh', serve);
    return (answered) => {
      if (!begun.delete(ticket)) return;
      const tookMs = now() - at;
      if (answered !== null) pace.note(now(), { tookMs, answered, inFlight: begun.size });
      own.inFlight -= 1;
      age();
      if (answered && isYielding(own) && !pace.isCalm(now()))
        countFor(Math.min(REST_MS_MAX, YIELD_TIMES * tookMs), own, 'resting', serve);
      serve();
    };
  }

  /** Free places are taken by those who wait: the account that has fewest in flight first. */
  function serve(): void {
    const at = now();
    const lines = [...accounts.values()].filter(({ line }) => line.length > 0);
    for (const { line } of lines)
      while (line[0] && at - line[0].since >= LINE_MS) line.shift()?.take(refuse(at));
    for (;;) {
      const own = lines
        .sort((a, b) => a.inFlight - b.inFlight)
        .find((account) => account.line[0] && !isFull(account, at));
      const first = own?.line.shift();
      if (!own || !first) return;
      first.take(placeOf(own, at));
    }
  }

  const waiting = () => [...accounts.values()].reduce((sum, { line }) => sum + line.length, 0);

  function refuse(at: number): Full {
    refused += 1;
    const perLine = Math.max(1, pace.answeredWithin(LINE_MS, at));
    const seconds = Math.ceil((waiting() * LINE_MS) / 1_000 / perLine);
    return { afterSeconds: Math.min(AFTER_SECONDS.most, Math.max(AFTER_SECONDS.least, seconds)) };
  }

  return {
    async enter(merchant, { waits = true, yields = false } = {}) {
      const at = now();
      const id = yields ? `payouts of ${merchant}` : merchant;
      if (begun.size === 0) pace.begin(at);
      const own = accounts.get(id) ?? newAccount(merchant, yields);
      own.askedAt = at;
      accounts.set(id, own);
      if (own.line.length === 0 && !isFull(own, at)) return placeOf(own, at);
      if (!waits || own.line.length >= pace.answeredWithin(LINE_MS, at) / merchantsOf(accounts) ** 2)
        return refuse(at);
      return new Promise((resolve) => {
        // Timers may be early by a millisecond, and then nothing would look again.
        const timer = setTimeout(serve, LINE_MS + 2);
        const take = (place: Leave | Full) => {
          clearTimeout(timer);
          resolve(place);
        };
        own.line.push({ since: at, take });
      });
    },
    state: () => ({ limit: Math.floor(pace.limit()), inFlight: begun.size, waiting: waiting(), refused }),
  };
}

/** Counts one more for so long, or until what it returns is called. */
function countFor(ms: number, own: Account, what: 'fresh' | 'resting', over: () => void): () => void {
  own[what] += 1;
  let isOver = false;
  const end = () => {
    if (!isOver) own[what] -= 1;
    isOver = true;
    clearTimeout(timer);
  };
  const timer = setTimeout(() => {
    end();
    over();
  }, ms).unref();
  return end;
}

/** A merchant's payouts have a line of their own, so that its pushes do not wait behind them. */
const newAccount = (merchant: string, yields: boolean): Account => ({
  merchant,
  yields,
  inFlight: 0,
  fresh: 0,
  resting: 0,
  askedAt: 0,
  line: [],
});

const merchantsOf = (accounts: ReadonlyMap<string, Account>) =>
  new Set([...accounts.values()].map(({ merchant }) => merchant)).size;

/** All resends together count as one account. */
const RESENDS = 'resends';

/** Sends only admitted submissions. A resend that finds no place is left to the sweep. */
export function admitted(flows: Flows, admission: Admission): Flows {
  return {
    ...flows,
    async submit(submission, options) {
      const askedAt = performance.now();
      const yields = kinds[submission.request.mode].type === 'payout';
      const leave = await admission.enter(submission.accountId, { yields });
      if ('afterSeconds' in leave) return { kind: 'not_sent', busy: leave };
      let answered = false;
      try {
        const waitedMs = performance.now() - askedAt;
        const outcome = await flows.submit(submission, { ...options, waitedMs });
        answered = outcome.kind === 'answered';
        return outcome;
      } finally {
        leave(answered);
      }
    },
    async deliver(round) {
      const leave = await admission.enter(RESENDS, { waits: false, yields: true });
      if ('afterSeconds' in leave) return false;
      try {
        return await flows.deliver(round);
      } finally {
        leave(null);
      }
    },
  };
}
