import { kinds } from '../../domain/kinds.ts';
import type { Flows } from './flows.ts';
import { createPace } from './pace.ts';

/** An account below its part may fill twice the limit; an account above it, three quarters. */
const SHARES = { belowItsPart: 2, above: 0.75 };
/** An account has a part of the limit until this long after its last request. */
const ACTIVE_MS = 5_000;

/**
 * Payouts yield to pushes, bills and codes, because customers wait for those. An account that yields has at
 * most as many payouts in flight as it would have at the usual speed. While answers are slow, a payout keeps
 * its place after its answer, for this many times the answer's duration: most of its work comes then.
 */
const YIELD_TIMES = 2;
const REST_MS_MAX = 2_000;
const HANGS_MS = 1_000;

/** A submission waits this long in its account's line. */
const LINE_MS = 4_000;
const AFTER_SECONDS = { least: 1, most: 60 };

/** `answered` false: no answer came; null: the duration says nothing about submissions. */
type Leave = (answered: boolean | null) => void;
/** No place is free. One may be free after this time. */
type Full = { afterSeconds: number };
type Account = {
  merchant: string;
  inFlight: number;
  /** in flight for less than HANGS_MS: a payout that hangs delays no other */
  fresh: number;
  /** answered, but still in their places */
  resting: number;
  askedAt: number;
  /** true: customers' submissions go first */
  yields: boolean;
  line: { since: number; take: (place: Leave | Full) => void }[];
};

export type Admission = {
  /** Waits for a place, and returns a function to call at the end. `waits: false` never waits. */
  enter(accountId: string, how?: { waits?: boolean; yields?: boolean }): Promise<Leave | Full>;
  state(): { limit: number; inFlight: number; waiting: number; refused: number };
};

/**
 * Limits the submissions in flight in this process. The limit grows while answers are fast. When they are
 * slow, only as many are admitted as can be answered in time. Accounts share the limit, and one below its
 * part is admitted first. The others wait in their account's line, which is at most 4 s long, or shorter if
 * many accounts ask. Further submissions are refused at once, because they would wait in vain.
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

  /** Counts submissions in flight, but of each account at most its part, so that none shuts out another. */
  function crowd(part: number): number {
    let count = 0;
    for (const { inFlight } of accounts.values()) count += Math.min(inFlight, Math.max(1, part));
    return count;
  }

  /** Payouts yield only while other submissions come. */
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

  /** Gives free places to waiting submissions, first to the account with the fewest in flight. */
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
        // A timer may fire a millisecond early, and nothing would check again.
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

/** Counts one more for `ms`, or until the returned function is called. */
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

const RESENDS = 'resends';

/** Sends only admitted submissions. The sweep repeats resends that got no place. */
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
