import type { CallOptions, NotSent } from '../../domain/channel.ts';
import { parseCleanJson, readCleanJson } from '../kit/clean-json.ts';
import { createToken, sendWithToken } from '../kit/fresh.ts';
import { type HttpClient, type HttpResult, saysNothing } from '../kit/http.ts';
import { firstSecret } from '../kit/secret.ts';
import { turnedAway } from '../kit/unclear.ts';
import type { ClickpesaSettings } from './settings.ts';
import { checksumOf, errorSchema, PATHS, tokenSchema } from './wire.ts';

export type ClickpesaAnswer =
  | { kind: 'json'; status: number; json: unknown }
  /** nothing was processed: no byte left, or the request was refused first */
  | NotSent
  | ({ kind: 'unclear' } & Pick<NotSent, 'detail' | 'refused'>);

/** Sends a POST if there is a payload. Repeats only with a new token. Never rejects. */
export type ClickpesaClient = (path: string, call: CallOptions, payload?: object) => Promise<ClickpesaAnswer>;

export function createClickpesaClient(
  { url, clientId, apiKey, checksumKey }: ClickpesaSettings,
  http: HttpClient,
  now: () => number = Date.now,
): ClickpesaClient {
  const token = createToken(http, now, {
    request: {
      method: 'POST',
      url: `${url}${PATHS.token}`,
      headers: { 'client-id': clientId, 'api-key': apiKey },
    },
    marginMs: 300_000,
    read(body) {
      const read = readCleanJson(tokenSchema, body);
      return read && { access_token: read.token, lifeSeconds: 3_600 };
    },
  });
  const bodyOf = (payload: object) =>
    JSON.stringify({
      ...payload,
      ...(checksumKey === undefined ? {} : { checksum: checksumOf(payload, firstSecret(checksumKey)) }),
    });

  return async (path, call, payload) => {
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const request = { url: `${url}${path}`, ...(payload ? { body: bodyOf(payload) } : {}) };
    const method = payload ? 'POST' : 'GET';
    const result = await sendWithToken(token, call, {
      send: (authorization, options) =>
        http.send({ method, ...request, headers: { ...headers, authorization }, ...options }),
      isRefused: (answer) =>
        answer.kind === 'answer' && [401, 403].includes(answer.status) && isError(answer.body),
    });
    return answerOf(result);
  };
}

/** ClickPesa's own 429 (one payout a minute) comes before any processing. */
function answerOf(result: HttpResult): ClickpesaAnswer {
  if (result.kind === 'not_sent') return result;
  if (result.kind === 'broken') return { ...result, kind: 'unclear' };
  const { status } = result;
  if (saysNothing(status)) return { kind: 'unclear', detail: `HTTP ${status}` };
  if (status === 429 && isError(result.body)) return turnedAway(`refused: HTTP ${status}`);
  try {
    return { kind: 'json', status, json: parseCleanJson(result.body.toString('utf8')) };
  } catch {
    return { kind: 'unclear', detail: `HTTP ${status}, unreadable` };
  }
}

function isError(body: Buffer): boolean {
  return readCleanJson(errorSchema, body) !== null;
}
