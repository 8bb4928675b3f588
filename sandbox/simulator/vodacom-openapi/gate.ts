import { createPrivateKey, randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { decryptPkcs1 } from '../core/pkcs1.ts';

export type VodacomGateOptions = {
  /** PEM; clients encrypt with its public half */
  privateKey: string;
  apiKey: string;
  /** `*` (the default) accepts every origin */
  trustedSources?: readonly string[] | undefined;
  sessionLifeMs?: number | undefined;
  /** a younger session is refused */
  sessionYoungMs?: number | undefined;
  /** the clock by which sessions age */
  now?: (() => number) | undefined;
};

export type VodacomSession = { id: string; openedAt: number; payments: number };
export type VodacomGate = {
  /** Returns null if the call was refused and answered. */
  open(context: Context): VodacomSession | null;
  /** Returns a call's session; null if it was refused and answered. */
  enter(context: Context): VodacomSession | null;
};

const SESSION_LIFE_MS = 3_600_000;
const SESSIONS_MAX = 10_000;

/** An encrypted API key opens a session; an encrypted session id opens everything else. */
export function createVodacomGate(options: VodacomGateOptions): VodacomGate {
  const key = createPrivateKey(options.privateKey);
  const {
    trustedSources = ['*'],
    sessionLifeMs = SESSION_LIFE_MS,
    sessionYoungMs = 0,
    now = Date.now,
  } = options;
  const sessions = new Map<string, VodacomSession>();

  /** The decrypted text after `Bearer`; null if the call was refused. */
  function proven(context: Context): string | null {
    const origin = context.get('Origin');
    if (!context.path.endsWith('/')) return refuse(context, 404, 'Resource not found');
    if (origin === '') return refuse(context, 400, 'Origin header is missing');
    if (!trustedSources.includes('*') && !trustedSources.includes(origin))
      return refuse(context, 401, 'Origin not allowed');
    const bearer = /^Bearer +(\S+)$/.exec(context.get('Authorization'))?.[1] ?? '';
    return decryptPkcs1(key, bearer) ?? '';
  }

  return {
    open(context) {
      const text = proven(context);
      if (text === null) return null;
      if (text !== options.apiKey) {
        context.status = 400;
        context.body = { output_ResponseCode: 'INS-989', output_ResponseDesc: 'Session Creation Failed' };
        return null;
      }
      const session = { id: randomBytes(16).toString('hex'), openedAt: now(), payments: 0 };
      sessions.set(session.id, session);
      for (const old of sessions.keys()) if (sessions.size > SESSIONS_MAX) sessions.delete(old);
      return session;
    },
    enter(context) {
      const text = proven(context);
      if (text === null) return null;
      const session = sessions.get(text);
      const ageMs = session ? now() - session.openedAt : Number.POSITIVE_INFINITY;
      if (!session || ageMs >= sessionLifeMs || ageMs < sessionYoungMs)
        return refuse(context, 401, 'Session is not valid');
      return session;
    },
  };
}

function refuse(context: Context, status: number, error: string): null {
  context.status = status;
  context.body = { output_error: error };
  return null;
}
