import type { Flows } from './flows.ts';

/**
 * An answer is slow that takes so many times what is usual here: milliseconds on one machine, half a second on another.
 * What the bounds say holds everywhere; the upper one is a quarter of what a merchant waits.
 */
const SLOW = { times: 3, leastMs: 150, mostMs: 2_000 };
/** Submissions pile up where no answer came soon for so long, and so many came late. One that hangs says nothing. */
const PILED_UP = { ms: 1_000, answers: 5 };
/**
 * The usual time is the best that most of the newest answers took within this time or twice as long. It is forgotten so
 * soon because a service that has become slower for good must not be taken for an overload.
 */
const USUAL = { newest: 5, keptMs: 5 * 60_000 };
/** How many are answered per second is counted over this time. */
const COUNTED_MS = 2_000;
const LIMIT = { first: 64, least: 4, most: 2_000 };
/** When nothing was in flight for so long, a burst is taken as at the beginning. */
const IDLE_MS = 1_000;
/** How much of the limit is open to an account: one that has less than its part may go beyond what the others filled. */
const SHARES = { belowItsPart: 2, above: 0.75 };
/** An account counts as one of those that share for so long after it last asked. */
const ACTIVE_MS = 5_000;

/** With `false` where nobody answered, with null where the time that it took is not a submission's. */
type Leave = (answered: boolean | null) => void;

export type Admission = {
  /** Null when the account has to come back later; else what is called at the end. */
  enter(accountId: string): Leave | null;
  /** for metrics */
  state(): { limit: number; inFlight: number; refused: number };
};

/**
 * How many submissions of this process may be in flight: more and more while answers come soon; when they no longer do,
 * as many as are answered within the time that is just not slow. A submission beyond that is refused at once: its
 * merchant would wait in vain. Whoever is admitted waits a few times as long as usual, not seconds. Accounts share: one
 * that has less than its part is admitted where one that has more is not.
 */
export function createAdmission(now: () => number = () => performance.now()): Admission {
  let limit: number = LIMIT.first;
  let refused = 0;
  const begun = new Set<symbol>();
  /** when the newest ones were answered */
  const answers: number[] = [];
  /** how long the newest ones took; how soon one fails says nothing about how long an answer takes */
  let newest: number[] = [];
  const usual = createUsual(now());
  let lastAt = now();
  /** since then nothing was answered soon, and so many were not */
  let lastSoonAt = lastAt;
  let slowInARow = 0;
  const accounts = new Map<string, { inFlight: number; askedAt: number }>();

  function note(at: number, tookMs: number, answered: boolean): void {
    const slowMs = Math.min(SLOW.mostMs, Math.max(SLOW.leastMs, SLOW.times * usual.ms(at)));
    while (at - (answers[0] ?? at) > COUNTED_MS) answers.shift();
    if (answered) {
      answers.push(at);
      newest = [...newest, tookMs].slice(-USUAL.newest);
      if (newest.length === USUAL.newest) usual.note(at, middleOf(newest));
    }
    lastAt = at;
    if (answered && tookMs <= slowMs) {
      lastSoonAt = at;
      slowInARow = 0;
      if (begun.size >= limit / 2) limit = Math.min(LIMIT.most, limit + 1 / limit);
      else if (limit < LIMIT.first) limit += 1;
      return;
    }
    slowInARow += 1;
    if (at - lastSoonAt < PILED_UP.ms || slowInARow < PILED_UP.answers) return;
    limit = Math.min(limit, Math.max(LIMIT.least, (answers.length * slowMs) / COUNTED_MS));
  }

  function partOf(at: number): number {
    for (const [id, { inFlight, askedAt }] of accounts)
      if (inFlight === 0 && at - askedAt > ACTIVE_MS) accounts.delete(id);
    return limit / Math.max(1, accounts.size);
  }

  /** As many as are in flight; what an account has beyond its part is its own, and closes the door to no other. */
  function crowd(part: number): number {
    let count = 0;
    for (const { inFlight } of accounts.values()) count += Math.min(inFlight, Math.max(1, part));
    return count;
  }

  return {
    enter(accountId) {
      const at = now();
      if (begun.size === 0) {
        lastSoonAt = at;
        slowInARow = 0;
        if (at - lastAt > IDLE_MS) limit = Math.max(limit, LIMIT.first);
      }
      const own = accounts.get(accountId) ?? { inFlight: 0, askedAt: at };
      own.askedAt = at;
      accounts.set(accountId, own);
      const part = partOf(at);
      const isFull =
        own.inFlight < part ? crowd(part) >= limit * SHARES.belowItsPart : begun.size >= limit * SHARES.above;
      if (isFull) {
        refused += 1;
        return null;
      }
      const ticket = Symbol();
      begun.add(ticket);
      own.inFlight += 1;
      return (answered) => {
        if (!begun.delete(ticket)) return;
        own.inFlight -= 1;
        if (answered !== null) note(now(), now() - at, answered);
      };
    },
    state: () => ({ limit: Math.floor(limit), inFlight: begun.size, refused }),
  };
}

/** The least of the numbers that were noted lately. */
function createUsual(since: number) {
  let began = since;
  let current = Number.POSITIVE_INFINITY;
  let before = Number.POSITIVE_INFINITY;
  const turn = (at: number) => {
    if (at - began <= USUAL.keptMs) return;
    before = at - began <= 2 * USUAL.keptMs ? current : Number.POSITIVE_INFINITY;
    current = Number.POSITIVE_INFINITY;
    began = at;
  };
  return {
    ms(at: number): number {
      turn(at);
      return Math.min(current, before);
    },
    note(at: number, ms: number): void {
      turn(at);
      current = Math.min(current, ms);
    },
  };
}

function middleOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** The account of resends in admission: all of them together are one. */
const RESENDS = 'resends';

/** The same flows; a submission beyond what is admitted is not sent, and a resend beyond it is left to the sweep. */
export function admitted(flows: Flows, admission: Admission): Flows {
  return {
    ...flows,
    async submit(submission, options) {
      const leave = admission.enter(submission.accountId);
      if (!leave) return { kind: 'not_sent', busy: true };
      let answered = false;
      try {
        const outcome = await flows.submit(submission, options);
        answered = outcome.kind === 'answered';
        return outcome;
      } finally {
        leave(answered);
      }
    },
    async deliver(round) {
      const leave = admission.enter(RESENDS);
      if (!leave) return false;
      try {
        return await flows.deliver(round);
      } finally {
        leave(null);
      }
    },
  };
}
