/** A callback waits here for a receiver that answers within this time; asking again later is slower. */
const WAIT_MS = 1_000;
const PAUSE_MIN_MS = 250;
/** A hung receiver may recover. Each callback checks again after this; all together, ten times a second. */
const LOOK_AGAIN_MS = 5_000;
const LOOK_EVERY_MS = 100;
/**
 * At this pause a thousand callbacks for a dead receiver are no load. It is also the longest wait after
 * recovery.
 */
const PAUSE_MAX_MS = 120_000;
/** Hung receivers (the last attempt timed out) together hold at most this share of all places. */
const HUNG_SHARE = 0.5;
/** If receivers that do not hang hold this share of all places, each gets only one: many may hang soon. */
const CROWDED_SHARE = 0.25;
/** At most this share of the callbacks in flight may wait here for a place. */
const WAITING_SHARE = 0.25;
/** Beyond this number, receivers without attempts in flight are forgotten. */
const REMEMBERED_MAX = 10_000;

export type Place = { leave(attempt: { hung: boolean }): void };

/** Send nothing now. Try again after `afterMs`. */
export type NoPlace = { afterMs: number };

export type Places = { take(url: string): Promise<Place | NoPlace> };

/**
 * Decides which receivers may have an attempt in flight, so a hung receiver does not delay the others. Each
 * URL has at most `perUrlMax` attempts; after a timeout it has one at a time. All URLs together have at most
 * `totalMax`, hung ones half of that. Callbacks for a fast receiver wait here, because its place is free in
 * milliseconds. Each callback for a slow receiver gets the time of its own turn, so the receiver is tried
 * only when its place becomes free.
 */
export function createPlaces(settings: {
  perUrlMax: number;
  totalMax: number;
  /** milliseconds from a clock that only goes forward */
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
        // A receiver that answers needs no pause: the next callback may come at once.
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

  /** Each callback gets the turn after the previous one. With a long wait it also checks earlier. */
  function turnOf(line: Line): NoPlace {
    const takesMs = Math.max(line.lastMs ?? 0, ageOf(line, now()));
    line.nextTurnMs = Math.max(line.nextTurnMs, now()) + takesMs / (line.hung ? 1 : perUrlMax);
    total.nextLookMs = Math.min(Math.max(total.nextLookMs, now()) + LOOK_EVERY_MS, now() + PAUSE_MAX_MS);
    const lookMs = Math.max(total.nextLookMs - now(), LOOK_AGAIN_MS);
    const afterMs = Math.round(Math.min(line.nextTurnMs - now(), lookMs));
    return { afterMs: Math.max(afterMs, PAUSE_MIN_MS) };
  }

  /** Moves the receiver to the end: the one used longest ago is forgotten first. */
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
  /** oldest first */
  inFlight: Set<{ startedMs: number; hung: boolean }>;
  waiting: Set<(give: (to: Line) => Place | NoPlace) => void>;
  /** true if the last finished attempt timed out */
  hung: boolean;
  /** duration of the last finished attempt; null if there is none */
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
