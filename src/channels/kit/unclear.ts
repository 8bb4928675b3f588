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

/** The channel has shown that it has the reference, so a later "not found" proves nothing. */
export function seen(detail: string): Unknown {
  return { ...unknown(detail), seen: true };
}

export function asSeen<R extends { kind: string }>(result: R): R {
  return result.kind === 'unknown' ? { ...result, seen: true } : result;
}
