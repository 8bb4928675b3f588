import type { KeyObject } from 'node:crypto';
import { readCleanJson } from '../clean-json.ts';
import { describeResult, type HttpClient, type HttpResult } from '../http.ts';
import { readPublicKey } from './crypto.ts';
import type { AirtelOpenapiSettings } from './settings.ts';
import { AIRTEL_PATHS, encryptionKeySchema, tokenSchema } from './wire.ts';

/** What a call needs before it is sent: a token, and the network's public key where something is encrypted. */

export type Got<T> = { value: T } | { missing: string };

/** Of the shared request for a token or key; a caller waits no longer than its own time. */
const REQUEST_TIMEOUT_MS = 15_000;
const TOKEN_LIFE_DEFAULT_SECONDS = 180;
/** A key is asked for again after this, whatever its own date says: that has no time zone, and clocks differ. */
const KEY_LIFE_MS = 6 * 60 * 60 * 1000;

type Kept<T> = { value: T; validUntil: number };

/**
 * Keeps one value fresh for all callers: concurrent ones share one request, and what was refused is asked for once more,
 * not by each of them.
 */
function createFresh<T>(now: () => number, fetch: () => Promise<Kept<T> | { missing: string }>) {
  let kept: Kept<T> | undefined;
  let running: Promise<Got<T>> | undefined;

  async function renew(): Promise<Got<T>> {
    const got = await fetch();
    if ('missing' in got) return got;
    kept = got;
    return { value: got.value };
  }

  return {
    get(): Promise<Got<T>> {
      if (kept && now() < kept.validUntil) return Promise.resolve({ value: kept.value });
      running ??= renew().finally(() => {
        running = undefined;
      });
      return running;
    },
    /** It was refused. Nothing happens when another call has renewed it meanwhile. */
    drop(refused: T): void {
      if (kept?.value === refused) kept = undefined;
    },
  };
}

export function createToken(settings: AirtelOpenapiSettings, http: HttpClient, now: () => number) {
  return createFresh<string>(now, async () => {
    const answer = await http.send({
      method: 'POST',
      url: `${settings.url}${AIRTEL_PATHS.token}`,
      headers: { accept: '*/*', 'content-type': 'application/json' },
      body: JSON.stringify({
        client_id: settings.clientId,
        client_secret: settings.clientSecret,
        grant_type: 'client_credentials',
      }),
      timeoutMs: REQUEST_TIMEOUT_MS,
    });
    const token =
      answer.kind === 'answer' && answer.status === 200 ? readCleanJson(tokenSchema, answer.body) : null;
    if (!token) return { missing: `no access token: ${describeResult(answer)}` };
    const lifeMs = (token.expires_in ?? TOKEN_LIFE_DEFAULT_SECONDS) * 1000;
    const marginMs = Math.min(settings.tokenMarginSeconds * 1000, lifeMs / 2);
    return { value: token.access_token, validUntil: now() + lifeMs - marginMs };
  });
}

/** `ask` makes one authorised GET. */
export function createPublicKeys(
  settings: AirtelOpenapiSettings,
  ask: (path: string) => Promise<HttpResult>,
  now: () => number,
) {
  return createFresh<KeyObject>(now, async () => {
    try {
      if (settings.publicKey !== undefined)
        return { value: readPublicKey(settings.publicKey), validUntil: Infinity };
      const answer = await ask(AIRTEL_PATHS.encryptionKeys);
      const body =
        answer.kind === 'answer' && answer.status === 200
          ? readCleanJson(encryptionKeySchema, answer.body)
          : null;
      if (!body) return { missing: `no encryption key: ${describeResult(answer)}` };
      return { value: readPublicKey(body.data.key), validUntil: now() + KEY_LIFE_MS };
    } catch {
      return { missing: 'the encryption key is no RSA key' };
    }
  });
}
