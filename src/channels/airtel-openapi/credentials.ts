import type { KeyObject } from 'node:crypto';
import { readCleanJson, readOk } from '../kit/clean-json.ts';
import { createFresh, createToken, type Fresh } from '../kit/fresh.ts';
import { describeResult, type HttpClient, type HttpResult, isDecided } from '../kit/http.ts';
import { readPublicKey } from './crypto.ts';
import type { AirtelOpenapiSettings } from './settings.ts';
import { AIRTEL_PATHS, encryptionKeySchema, tokenSchema } from './wire.ts';

const TOKEN_LIFE_DEFAULT_SECONDS = 180;
/** The key is fetched again after this time, because its own end date has no time zone. */
const KEY_LIFE_MS = 6 * 60 * 60 * 1000;

export function createAirtelToken(
  settings: AirtelOpenapiSettings,
  http: HttpClient,
  now: () => number,
): Fresh<string> {
  const { clientId: client_id, clientSecret: client_secret } = settings;
  return createToken(http, now, {
    request: {
      method: 'POST',
      url: `${settings.url}${AIRTEL_PATHS.token}`,
      headers: { accept: '*/*', 'content-type': 'application/json' },
      body: JSON.stringify({ client_id, client_secret, grant_type: 'client_credentials' }),
    },
    marginMs: settings.tokenMarginSeconds * 1000,
    read(body) {
      const given = readCleanJson(tokenSchema, body);
      return given && { ...given, lifeSeconds: given.expires_in ?? TOKEN_LIFE_DEFAULT_SECONDS };
    },
  });
}

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
      const body = readOk(encryptionKeySchema, answer);
      if (!body) {
        const missing = `no encryption key: ${describeResult(answer)}`;
        return isDecided(answer) ? { missing, refused: true } : { missing };
      }
      return { value: readPublicKey(body.data.key), validUntil: now() + KEY_LIFE_MS };
    } catch {
      return { missing: 'the encryption key is no RSA key' };
    }
  });
}
