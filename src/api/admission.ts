import type { Flows } from './flows.ts';

/** An answer that takes longer shows that submissions pile up. */
const SLOW_MS = 2_000;
/** As many may be in flight as are answered within this time: half of what a merchant waits. */
const ANSWERED_WITHIN_MS = 4_000;
/** Over how long answers are counted. */
const COUNTED_MS = 2_000;
const LIMIT = { first: 256, least: 32, most: 2_000 };
/** What is above this share of the limit is kept for accounts that have less than their part of it. */
const SHARE_OF_ALL = 0.75;
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
 * as many as are answered in four seconds. Whoever comes beyond that hears so at once, instead of never. Accounts share:
 * one that has less than its part is admitted where one that has more is not.
 */
export function createAdmission(now: () => number = () => performance.now()): Admission {
  let limit: number = LIMIT.first;
  let refused = 0;
  /** when each began, oldest first */
  const begun = new Map<symbol, number>();
  let answers: number[] = [];
  const accounts = new Map<string, { inFlight: number; askedAt: number }>();

  /** Half of what waits, waits for long already: said before the first slow answer comes. A few that hang say nothing. */
  function isPilingUp(at: number): boolean {
    let index = 0;
    for (const since of begun.values()) {
      if (index === Math.floor(begun.size / 2)) return at - since > SLOW_MS / 2;
      index += 1;
    }
    return false;
  }

  function slowDown(at: number): void {
    answers = answers.filter((answeredAt) => at - answeredAt <= COUNTED_MS);
    const answerable = Math.floor(answers.length * (ANSWERED_WITHIN_MS / COUNTED_MS));
    limit = Math.min(limit, Math.max(LIMIT.least, answerable));
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
      if (begun.size >= LIMIT.least && isPilingUp(at)) slowDown(at);
      const bound = own.inFlight < partOf(at) ? limit : limit * SHARE_OF_ALL;
      if (begun.size >= bound) {
        refused += 1;
        return null;
      }
      const ticket = Symbol();
      begun.set(ticket, at);
      own.inFlight += 1;
      return (answered) => {
        if (!begun.delete(ticket)) return;
        own.inFlight -= 1;
        const end = now();
        if (answered) answers.push(end);
        if (end - at > SLOW_MS) slowDown(end);
        else if (answered && begun.size >= limit / 2) limit = Math.min(LIMIT.most, limit + 1);
        if (answers.length > LIMIT.most) answers = answers.slice(-LIMIT.most / 2);
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
