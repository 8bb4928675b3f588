import type { NotSent, Unknown } from '../../domain/channel.ts';

/** Nothing left us, or the other side refused it before any processing. */
export function notSent(detail: string): NotSent {
  return { kind: 'not_sent', detail };
}

/** The other side refused our login, set-up or rate before any processing. */
export function turnedAway(detail: string): NotSent {
  return { ...notSent(detail), refused: 'login' };
}

export function unknown(detail: string): Unknown {
  return { kind: 'unknown', detail };
}

export function unclear({ detail, refused }: Pick<NotSent, 'detail' | 'refused'>): Unknown {
  return { ...unknown(detail), ...(refused ? { refused } : {}) };
}

/** The channel has the reference, so a later "not found" proves nothing. */
export function seen(detail: string): Unknown {
  return { ...unknown(detail), seen: true };
}

export function asSeen<R extends { kind: string }>(result: R): R {
  return result.kind === 'unknown' ? { ...result, seen: true } : result;
}
