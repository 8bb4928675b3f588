/**
 * An answer is slow at this many times the usual duration, within these bounds, because the usual differs
 * between machines. The upper bound is a quarter of a merchant's wait.
 */
const SLOW = { times: 3, leastMs: 150, mostMs: 2_000 };
const CALM_TIMES = 2;
/** Submissions pile up if for this long no answer was fast, and this many in a row were late. */
const PILED_UP = { ms: 1_000, answers: 5 };
/**
 * The usual duration is the lowest recent median of the newest answers. A median is kept for one or two
 * periods, because a service that became slower for good is not overloaded.
 */
const USUAL = { newest: 5, keptMs: 5 * 60_000 };
const COUNTED_MS = 2_000;
const LIMIT = { first: 64, least: 4, most: 2_000 };
/** After this long with nothing in flight, the limit is at least the first one again. */
const IDLE_MS = 1_000;

/** The limit of submissions in flight grows while answers are fast. */
export function createPace(since: number) {
  let limit: number = LIMIT.first;
  const answers: number[] = [];
  /** durations of the newest answers, not of failures */
  let newest: number[] = [];
  const usual = createUsual(since);
  let lastAt = since;
  /** time of the last fast answer; late answers are counted since then */
  let lastSoonAt = since;
  let slowInARow = 0;
  let busySince = since;

  function answeredLately(at: number): number {
    while (at - (answers[0] ?? at) > COUNTED_MS) answers.shift();
    return answers.length;
  }

  return {
    limit: () => limit,
    answeredLately,
    isCalm: (at: number) => newest.length < USUAL.newest || middleOf(newest) <= CALM_TIMES * usual.ms(at),
    /** Estimates how many would be in flight at the usual speed and the present rate. */
    asUsual: (at: number) => (answeredLately(at) * usual.ms(at)) / COUNTED_MS || 0,
    /** Estimates how many are answered within `ms`; soon after an idle time, the first limit. */
    answeredWithin: (ms: number, at: number) =>
      at - busySince < COUNTED_MS ? LIMIT.first : (answeredLately(at) * ms) / COUNTED_MS,
    /** Call it for the first submission after nothing was in flight. */
    begin(at: number): void {
      busySince = at;
      lastSoonAt = at;
      slowInARow = 0;
      if (at - lastAt > IDLE_MS) limit = Math.max(limit, LIMIT.first);
    },
    note(
      at: number,
      { tookMs, answered, inFlight }: { tookMs: number; answered: boolean; inFlight: number },
    ): void {
      const slowMs = Math.min(SLOW.mostMs, Math.max(SLOW.leastMs, SLOW.times * usual.ms(at)));
      if (answered) {
        answers.push(at);
        answeredLately(at);
        newest = [...newest, tookMs].slice(-USUAL.newest);
        if (newest.length === USUAL.newest) usual.note(at, middleOf(newest));
      }
      lastAt = at;
      if (answered && tookMs <= slowMs) {
        lastSoonAt = at;
        slowInARow = 0;
        if (inFlight >= limit / 2) limit = Math.min(LIMIT.most, limit + 1 / limit);
        else if (limit < LIMIT.first) limit += 1;
        return;
      }
      slowInARow += 1;
      if (at - lastSoonAt < PILED_UP.ms || slowInARow < PILED_UP.answers) return;
      limit = Math.min(limit, Math.max(LIMIT.least, (answeredLately(at) * slowMs) / COUNTED_MS));
    },
  };
}

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
