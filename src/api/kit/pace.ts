/**
 * An answer is slow that takes so many times what is usual here: milliseconds on one machine, half a second on another.
 * What the bounds say holds everywhere; the upper one is a quarter of what a merchant waits.
 */
const SLOW = { times: 3, leastMs: 150, mostMs: 2_000 };
/** Answers within so many times the usual come about as always. */
const CALM_TIMES = 2;
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

/** How many submissions may be in flight, by what is answered: more and more while answers come soon. */
export function createPace(since: number) {
  let limit: number = LIMIT.first;
  /** when the newest ones were answered */
  const answers: number[] = [];
  /** how long the newest ones took; how soon one fails says nothing about how long an answer takes */
  let newest: number[] = [];
  const usual = createUsual(since);
  let lastAt = since;
  /** since then nothing was answered soon, and so many were not */
  let lastSoonAt = since;
  let slowInARow = 0;
  let busySince = since;

  /** Drops answers older than `COUNTED_MS`. */
  function answeredLately(at: number): number {
    while (at - (answers[0] ?? at) > COUNTED_MS) answers.shift();
    return answers.length;
  }

  return {
    limit: () => limit,
    answeredLately,
    /** Answers take about as long as usual. */
    isCalm: (at: number) => newest.length < USUAL.newest || middleOf(newest) <= CALM_TIMES * usual.ms(at),
    /** Estimates how many are in flight when answers come as soon as usual, at the present rate. */
    asUsual: (at: number) => (answeredLately(at) * usual.ms(at)) / COUNTED_MS || 0,
    /** How many are answered within so many milliseconds. What a service does that was idle is not known yet. */
    answeredWithin: (ms: number, at: number) =>
      at - busySince < COUNTED_MS ? LIMIT.first : (answeredLately(at) * ms) / COUNTED_MS,
    /** One begins while nothing is in flight. */
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
