import type { z } from 'zod';
import type { CallOptions, NotSent } from '../../domain/channel.ts';
import { parseCleanJson } from '../kit/clean-json.ts';
import { type HttpClient, type HttpResult, isDecided } from '../kit/http.ts';
import { encryptPkcs1 } from '../kit/pkcs1.ts';
import { notSent, turnedAway } from '../kit/unclear.ts';
import { readPublicKey } from './key.ts';
import { createSessions, type Session } from './sessions.ts';
import type { VodacomOpenapiSettings } from './settings.ts';
import { answerSchema, contextPath, gatewayErrorSchema, PATHS, sessionAnswerSchema } from './wire.ts';

type Request = { method: 'GET' | 'POST'; path: string; fields: Record<string, string> };

/** `read`: JSON of an answer that is neither a refused session nor a 5xx. */
export type Answer =
  | NotSent
  | { kind: 'read'; status: number; json: unknown }
  /** it is unknown what the network did */
  | ({ kind: 'unclear' } & Pick<NotSent, 'detail' | 'refused'>);

export type VodacomClient = {
  /** Sends with our session. Never rejects. */
  send(request: Request, call: CallOptions): Promise<Answer>;
};

const SESSION_LIMIT_CODES = ['INS-992', 'INS-993', 'INS-994'];

export function createVodacomClient(
  settings: VodacomOpenapiSettings,
  http: HttpClient,
  now: () => number = Date.now,
): VodacomClient {
  const key = readPublicKey(settings.publicKey);
  const base = `${settings.address}${contextPath(settings.environment)}`;
  const sessions = createSessions(settings, openSession, now);
  const headersOf = (bearer: string) => ({
    accept: 'application/json',
    authorization: `Bearer ${bearer}`,
    'content-type': 'application/json',
    origin: settings.origin,
  });

  /** Asks for a session. If that fails, the payment was not sent. */
  async function openSession(timeoutMs: number) {
    const result = await http.send({
      method: 'GET',
      url: `${base}${PATHS.session}`,
      headers: headersOf(encryptPkcs1(key, settings.apiKey)),
      timeoutMs,
    });
    const json = result.kind === 'answer' ? jsonOf(result.body) : undefined;
    const session = sessionAnswerSchema.safeParse(json);
    if (!session.success || session.data.output_ResponseCode !== 'INS-0') {
      const why = `no session: ${describe(result)} ${sayingOf(json)}`.trim();
      return isDecided(result) ? turnedAway(why) : notSent(why);
    }
    const id = session.data.output_SessionID;
    return { id, bearer: encryptPkcs1(key, id) };
  }

  function once(session: Session, { method, path, fields }: Request, call: CallOptions): Promise<HttpResult> {
    const isRead = method === 'GET';
    return http.send({
      method,
      url: `${base}${path}${isRead ? `?${new URLSearchParams(fields)}` : ''}`,
      headers: headersOf(session.bearer),
      body: isRead ? undefined : JSON.stringify(fields),
      ...call,
    });
  }

  /** Replaces an ended session once. Repeats a request only if it was provably not processed. */
  async function send(request: Request, call: CallOptions, isRepeat = false): Promise<Answer> {
    const begun = now();
    const session = await sessions.take(call);
    if ('kind' in session) return session;
    const timeLeft = { ...call, timeoutMs: Math.max(1, call.timeoutMs - (now() - begun)) };
    const result = await once(session, request, timeLeft);
    const json = result.kind === 'answer' ? jsonOf(result.body) : undefined;
    const isRefused = result.kind === 'answer' ? isRefusal(result.status, json) : result.page === 401;
    if (isRefused) sessions.drop(session);
    // An unclear page may come after the payout was made, so it is not repeated.
    if (isRefused && !isRepeat && (result.kind !== 'broken' || !call.sent)) {
      const stillMs = Math.max(1, call.timeoutMs - (now() - begun));
      return send(request, { ...call, timeoutMs: stillMs }, true);
    }
    if (result.kind === 'not_sent') return result;
    if (result.kind === 'broken') return { ...result, kind: 'unclear' };
    if (isRefused) return turnedAway(`the session is refused: ${sayingOf(json)}`);
    if (result.status >= 500 || json === undefined)
      return { kind: 'unclear', detail: `${describe(result)} ${sayingOf(json)}`.trim() };
    if (SESSION_LIMIT_CODES.includes(codeOf(json) ?? '')) sessions.drop(session);
    return { kind: 'read', status: result.status, json };
  }

  /** Returns true if an answer refuses the session. A code in a 5xx proves nothing. */
  function isRefusal(status: number, json: unknown): boolean {
    const code = codeOf(json);
    if (code !== null) return status < 500 && settings.sessionErrorCodes.includes(code);
    const complaint = gatewayErrorOf(json);
    if (complaint === null || status < 400 || status >= 500 || isAboutOrigin(complaint)) return false;
    return status === 401 || ABOUT_SESSION.test(complaint);
  }

  return { send: (request, call) => send(request, call) };
}

const ABOUT_SESSION = /session|authori[sz]|authentic|token|credential|bearer|api key/i;
const ABOUT_ORIGIN = /\borigin\b|trusted source/i;

/** Returns true if our address is none of the application's trusted sources, or the header was missing. */
export function isAboutOrigin(complaint: string): boolean {
  return ABOUT_ORIGIN.test(complaint);
}

/** Returns the front gateway's error; null if the answer is M-Pesa's own, or unreadable. */
export function gatewayErrorOf(json: unknown): string | null {
  const error = gatewayErrorSchema.safeParse(json);
  return error.success ? error.data.output_error : null;
}

/** Returns null if the body does not fit the schema. */
export function read<T extends z.ZodType>(schema: T, json: unknown): z.infer<T> | null {
  const parsed = schema.safeParse(json);
  return parsed.success ? parsed.data : null;
}

function codeOf(json: unknown): string | null {
  return read(answerSchema, json)?.output_ResponseCode ?? null;
}

/** Writes the code or the gateway's complaint for the log, cut short. */
function sayingOf(json: unknown): string {
  return (codeOf(json) ?? gatewayErrorOf(json) ?? '').replace(/[^\x20-\x7e]/g, ' ').slice(0, 120);
}

function jsonOf(body: Buffer): unknown {
  try {
    return parseCleanJson(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function describe(result: HttpResult): string {
  return result.kind === 'answer' ? `HTTP ${result.status}` : result.detail;
}
