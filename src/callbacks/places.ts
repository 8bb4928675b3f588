/** A receiver that answers within this is waited for in this process: asking again later would only be slower. */
const WAIT_MS = 1_000;
const PAUSE_MIN_MS = 250;
/** A receiver that hung may recover: each waiting callback looks again after this, all ten times a second. */
const LOOK_AGAIN_MS = 5_000;
const LOOK_EVERY_MS = 100;
/** A thousand callbacks for a receiver that is down are no load by this pause; one that recovers waits no longer. */
const PAUSE_MAX_MS = 120_000;
/** Receivers that let the last attempt time out have at most this share of all places together. */
const HUNG_SHARE = 0.5;
/** Once the other receivers hold this share of all places, no receiver gets a second one: many may be about to hang. */
const CROWDED_SHARE = 0.25;
/** This share of the callbacks in flight may wait here for a place. */
const WAITING_SHARE = 0.25;
/** Beyond this number, receivers with nothing in flight are forgotten. */
const REMEMBERED_MAX = 10_000;

export type Place = { leave(attempt: { hung: boolean }): void };

/** Nothing may be sent now. Try again after this many milliseconds. */
export type NoPlace = { afterMs: number };

export type Places = { take(url: string): Promise<Place | NoPlace> };

/**
 * Decides which receivers may have an attempt in flight, so that one that hangs does not delay the others. One URL has
 * at most `perUrlMax`; one that let its last attempt time out is tried by one attempt at a time. All have at most
 * `totalMax`, of which the receivers known to hang have half at most; while the others hold many places, no receiver
 * gets a second one: then each one that begins to hang costs one place until it ends. The others wait. A receiver that
 * answers quickly is free in milliseconds, so they wait here. Else each one gets the time of its turn, one after the
 * other: however many wait, a receiver that hangs is tried only as often as one of its places becomes free.
 */
export function createPlaces(settings: {
  perUrlMax: number;
  totalMax: number;
  /** milliseconds; any clock that only goes forward */
  now?: () => number;
}): Places {
  const { perUrlMax, totalMax, now = () => performance.now() } = settings;
  const lines = new Map<string, Line>();
  const total = { inFlight: 0, hung: 0, waiting: 0, nextLookMs: 0 };

  function limitOf(line: Line): number {
    if (total.inFlight >= totalMax) return 0;
    if (line.hung) return total.hung < Math.ceil(totalMax * HUNG_SHARE) ? 1 : 0;
    return total.inFlight - total.hung >= totalMax * CROWDED_SHARE ? 1 : perUrlMax;
  }

  function enter(line: Line): Place {
    const attempt = { startedMs: now(), hung: line.hung };
    line.inFlight.add(attempt);
    total.inFlight += 1;
    if (attempt.hung) total.hung += 1;
    return {
      leave({ hung }) {
        if (!line.inFlight.delete(attempt)) return;
        total.inFlight -= 1;
        if (attempt.hung) total.hung -= 1;
        line.hung = hung;
        line.lastMs = now() - attempt.startedMs;
        // A receiver that answers has no pause to wait for: the next callback in line may come at once.
        if (!hung) line.nextTurnMs = 0;
        if (line.inFlight.size < limitOf(line)) line.waiting.values().next().value?.(enter);
        remember(line);
      },
    };
  }

  function mayWait(line: Line): boolean {
    if (line.hung || line.lastMs === null || ageOf(line, now()) > WAIT_MS) return false;
    if (total.waiting >= totalMax * WAITING_SHARE) return false;
    return (line.lastMs * (line.waiting.size + 1)) / perUrlMax <= WAIT_MS;
  }

  function wait(line: Line): Promise<Place | NoPlace> {
    return new Promise((resolve) => {
      total.waiting += 1;
      const end = (give: (to: Line) => Place | NoPlace) => {
        clearTimeout(timer);
        line.waiting.delete(end);
        total.waiting -= 1;
        resolve(give(line));
      };
      const timer = setTimeout(() => end(turnOf), WAIT_MS);
      line.waiting.add(end);
    });
  }

  /** Each callback gets the turn after the one before it. One that waits long looks earlier, too. */
  function turnOf(line: Line): NoPlace {
    const takesMs = Math.max(line.lastMs ?? 0, ageOf(line, now()));
    line.nextTurnMs = Math.max(line.nextTurnMs, now()) + takesMs / (line.hung ? 1 : perUrlMax);
    total.nextLookMs = Math.min(Math.max(total.nextLookMs, now()) + LOOK_EVERY_MS, now() + PAUSE_MAX_MS);
    const lookMs = Math.max(total.nextLookMs - now(), LOOK_AGAIN_MS);
    const afterMs = Math.round(Math.min(line.nextTurnMs - now(), lookMs));
    return { afterMs: Math.max(afterMs, PAUSE_MIN_MS) };
  }

  /** The most recent one is forgotten last. */
  function remember(line: Line): void {
    lines.delete(line.url);
    lines.set(line.url, line);
    if (lines.size <= REMEMBERED_MAX) return;
    for (const [url, { inFlight, waiting }] of lines) {
      if (inFlight.size + waiting.size === 0) {
        lines.delete(url);
        return;
      }
    }
  }

  return {
    async take(url) {
      const line = lines.get(url) ?? emptyLine(url);
      lines.set(url, line);
      if (line.waiting.size === 0 && line.inFlight.size < limitOf(line)) return enter(line);
      return mayWait(line) ? wait(line) : turnOf(line);
    },
  };
}

type Line = {
  url: string;
  /** the oldest first */
  inFlight: Set<{ startedMs: number; hung: boolean }>;
  waiting: Set<(give: (to: Line) => Place | NoPlace) => void>;
  /** true if the last attempt that ended had waited in vain */
  hung: boolean;
  /** the last attempt took so long; null: none has ended yet */
  lastMs: number | null;
  nextTurnMs: number;
};

function emptyLine(url: string): Line {
  return { url, inFlight: new Set(), waiting: new Set(), hung: false, lastMs: null, nextTurnMs: 0 };
}

function ageOf(line: Line, nowMs: number): number {
  const [oldest] = line.inFlight;
  return oldest === undefined ? 0 : nowMs - oldest.startedMs;
}
