import { setTimeout as sleep } from 'node:timers/promises';
import type { CallOptions, NotSent } from '../../domain/channel.ts';
import { orLate } from '../kit/fresh.ts';
import { notSent } from '../kit/unclear.ts';

/** Times are milliseconds of the clock of `createSessions`. */
export type Session = { id: string; bearer: string; usableAt: number; renewAt: number; endsAt: number };

export type SessionTimes = {
  sessionLifetimeMs: number;
  sessionRenewBeforeMs: number;
  sessionSettleMs: number;
};

export type OpenSession = (timeoutMs: number) => Promise<{ id: string; bearer: string } | NotSent>;

export type Sessions = {
  /**
   * Returns a usable session, or `not_sent` if there is none in time. A new session opens before the old one
   * ends. The old one is used until the new one is old enough.
   */
  take(call: CallOptions): Promise<Session | NotSent>;
  /** Drops a session that is refused or used up, and opens a new one. */
  drop(session: Session): void;
};

const OPEN_TIMEOUT_MS = 10_000;
/** Renewal pauses this long after a failure while the old session still works. */
const RENEWAL_PAUSE_MS = 5_000;

/** Opens sessions of one application on demand. `now`: milliseconds of any clock. */
export function createSessions(
  times: SessionTimes,
  open: OpenSession,
  now: () => number = Date.now,
): Sessions {
  /** at most two: the one in use, and a newer one that is still too young */
  let sessions: Session[] = [];
  let opening: Promise<Session | NotSent> | null = null;
  let pauseUntil = 0;

  /** Makes one request for all callers who wait for it. */
  function renew(): Promise<Session | NotSent> {
    opening ??= openOne().finally(() => {
      opening = null;
    });
    return opening;
  }

  async function openOne(): Promise<Session | NotSent> {
    // A session's life counts from before the request, so that we never use it too long.
    const askedAt = now();
    // Nobody waits for a background renewal, so it must not reject, as for a key that is too short.
    const opened = await open(OPEN_TIMEOUT_MS).catch((error: Error) => notSent(error.message));
    if ('kind' in opened) {
      pauseUntil = now() + RENEWAL_PAUSE_MS;
      return opened;
    }
    const { sessionLifetimeMs, sessionRenewBeforeMs, sessionSettleMs } = times;
    const session = {
      ...opened,
      usableAt: now() + sessionSettleMs,
      renewAt: askedAt + sessionLifetimeMs - sessionRenewBeforeMs - sessionSettleMs,
      endsAt: askedAt + sessionLifetimeMs,
    };
    sessions = [...sessions.slice(-1), session];
    return session;
  }

  function usable(): Session | undefined {
    sessions = sessions.filter(({ endsAt }) => endsAt > now());
    return sessions.findLast(({ usableAt }) => usableAt <= now());
  }

  async function take(call: CallOptions): Promise<Session | NotSent> {
    const deadline = now() + call.timeoutMs;
    const ready = usable();
    const newest = sessions.at(-1);
    if (ready) {
      if (newest && newest.renewAt <= now() && pauseUntil <= now()) void renew();
      return ready;
    }
    const next = newest ?? (await orLate(renew(), call, notSent('no session in time')));
    if ('kind' in next) return next;
    const waitMs = next.usableAt - now();
    if (next.usableAt > deadline) return notSent(`the new session may be used in ${waitMs} ms only`);
    if (waitMs > 0) await sleep(waitMs, undefined, signalOf(call)).catch(() => undefined);
    if (call.signal?.aborted) return notSent('cancelled before a session could be used');
    return sessions.includes(next) ? next : notSent('the session was dropped while it was too young');
  }

  return {
    take,
    drop(session) {
      if (!sessions.includes(session)) return;
      sessions = sessions.filter((one) => one !== session);
      if (sessions.length === 0 && pauseUntil <= now()) void renew();
    },
  };
}

const signalOf = ({ signal }: CallOptions) => (signal ? { signal } : {});
