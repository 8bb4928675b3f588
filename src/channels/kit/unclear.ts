import type { NotSent, Unknown } from '../../domain/channel.ts';

/** Nothing left us, or what did was refused before any processing. */
export function notSent(detail: string): NotSent {
  return { kind: 'not_sent', detail };
}

/** Refused before any processing by who answered: our login, our set-up or our rate. */
export function turnedAway(detail: string): NotSent {
  return { ...notSent(detail), refused: 'login' };
}

/** An answer that proves neither success nor refusal. */
export function unknown(detail: string): Unknown {
  return { kind: 'unknown', detail };
}

/** `refused` says that the connection was turned away. */
export function unclear({ detail, refused }: Pick<NotSent, 'detail' | 'refused'>): Unknown {
  return { ...unknown(detail), ...(refused ? { refused } : {}) };
}

/** The same of a channel that has shown that it has the reference: a "not found" of it proves nothing any more. */
export function seen(detail: string): Unknown {
  return { ...unknown(detail), seen: true };
}

/** A result of a channel that has the reference, whatever else it says. */
export function asSeen<R extends { kind: string }>(result: R): R {
  return result.kind === 'unknown' ? { ...result, seen: true } : result;
}
