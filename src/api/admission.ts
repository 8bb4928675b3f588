import type { Flows } from './flows.ts';

/** Answers that take longer show that submissions pile up, where most of the newest ones do. */
const SLOW_MS = 1_000;
const NEWEST = 5;
/** As many may be in flight as were answered within this time: a quarter of what a merchant waits. */
const COUNTED_MS = 2_000;
const LIMIT = { first: 256, least: 4, most: 2_000 };
/** What an account finds of the limit: one that has less than its part of it may go beyond what the others filled. */
const SHARES = { belowItsPart: 2, above: 0.75 };
/** An account counts as one of those that share for so long after it last asked. */
const ACTIVE_MS = 5_000;

export type Admission = {
  /** Null when the account has to come back later; else what is called at the end: with `false` where nobody answered. */
  enter(accountId: string): ((answered: boolean) => void) | null;
  /** for metrics */
  state(): { limit: number; inFlight: number; refused: number };
};

/**
 * How many submissions of this process may be in flight: more and more while answers come soon; as soon as they do not,
 * as many as are answered in two seconds. A submission beyond that is refused at once: its merchant would wait in vain.
 * When nothing is in flight any more, a burst is taken as at the beginning. Accounts share: one that has less than its
 * part is admitted where one that has more is not.
 */
export function createAdmission(now: () => number = () => performance.now()): Admission {
  let limit: number = LIMIT.first;
  let refused = 0;
  const begun = new Set<symbol>();
  /** when the newest ones were answered */
  const answers: number[] = [];
  /** how long the newest ones took, answered or not */
  let newest: number[] = [];
  const accounts = new Map<string, { inFlight: number; askedAt: number }>();

  function note(at: number, tookMs: number, answered: boolean): void {
    while (at - (answers[0] ?? at) > COUNTED_MS) answers.shift();
    if (answered) answers.push(at);
    newest = [...newest, tookMs].slice(-NEWEST);
    const slow = newest.filter((ms) => ms > SLOW_MS).length;
    // A few that hang say nothing about the others.
    if (slow > NEWEST / 2) limit = Math.min(limit, Math.max(LIMIT.least, answers.length));
    else if (answered && begun.size >= limit / 2) limit = Math.min(LIMIT.most, limit + 1);
    if (begun.size === 0) limit = Math.max(limit, LIMIT.first);
  }

  function partOf(at: number): number {
    for (const [id, { inFlight, askedAt }] of accounts)
      if (inFlight === 0 && at - askedAt > ACTIVE_MS) accounts.delete(id);
    return limit / Math.max(1, accounts.size);
  }

  return {
    enter(accountId) {
      const at = now();
      const own = accounts.get(accountId) ?? { inFlight: 0, askedAt: at };
      own.askedAt = at;
      accounts.set(accountId, own);
      const bound = limit * (own.inFlight < partOf(at) ? SHARES.belowItsPart : SHARES.above);
      if (begun.size >= bound) {
        refused += 1;
        return null;
      }
      const ticket = Symbol();
      begun.add(ticket);
      own.inFlight += 1;
      return (answered) => {
        if (!begun.delete(ticket)) return;
        own.inFlight -= 1;
        note(now(), now() - at, answered);
      };
    },
    state: () => ({ limit, inFlight: begun.size, refused }),
  };
}

/** The same flows; a submission beyond what is admitted is not sent. */
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
  };
}
