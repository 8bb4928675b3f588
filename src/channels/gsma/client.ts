import { createHash } from 'node:crypto';
import type { CallOptions } from '../../domain/channel.ts';
import { readCleanJson } from '../kit/clean-json.ts';
import { createToken, sendWithToken } from '../kit/fresh.ts';
import { describeResult, type HttpClient, type HttpResult } from '../kit/http.ts';
import { turnedAway } from '../kit/unclear.ts';
import { errorSchema, tokenSchema, type WireError } from './wire.ts';

export type GsmaSettings = {
  /** without a trailing slash; the standard's paths are appended */
  url: string;
  username: string;
  password: string;
  /** `oauth` gets a Bearer token from `POST …/accesstoken`; `basic` sends the credentials with every call */
  authorisation: 'basic' | 'oauth';
  /** address of the token; default `{url}/accesstoken`. GSMA's SDKs use `{host}/v1/oauth/accesstoken` */
  tokenUrl?: string | undefined;
};

type GsmaCall = {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
};

export type GsmaClient = {
  /** Renews a refused token once. Never rejects. */
  send(call: GsmaCall, options: CallOptions): Promise<HttpResult>;
};

const RENEWAL_MARGIN_MS = 30_000;
const TOKEN_LIFE_DEFAULT_SECONDS = 300;

/** `now`: milliseconds of a clock that only goes forward. */
export function createGsmaClient(
  settings: GsmaSettings,
  http: HttpClient,
  now: () => number = () => performance.now(),
): GsmaClient {
  const basic = `Basic ${Buffer.from(`${settings.username}:${settings.password}`).toString('base64')}`;
  const token = createToken(http, now, {
    request: {
      method: 'POST',
      url: settings.tokenUrl ?? `${settings.url}/accesstoken`,
      headers: { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    },
    marginMs: RENEWAL_MARGIN_MS,
    read(body) {
      const given = readCleanJson(tokenSchema, body);
      return given && { ...given, lifeSeconds: given.expires_in ?? TOKEN_LIFE_DEFAULT_SECONDS };
    },
  });

  async function once(call: GsmaCall, authorization: string, options: CallOptions): Promise<HttpResult> {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    return http.send({
      method: call.method,
      url: `${settings.url}${call.path}`,
      headers: {
        accept: 'application/json',
        authorization,
        'x-date': new Date().toISOString(),
        ...(body === undefined ? {} : { 'content-type': 'application/json', 'x-content-hash': sha256(body) }),
        ...call.headers,
      },
      body,
      ...options,
    });
  }

  return {
    send: (call, options) =>
      settings.authorisation === 'basic'
        ? once(call, basic, options).then((answer) =>
            isCredentialRefusal(answer)
              ? turnedAway(`our credentials were refused: ${describeResult(answer)}`)
              : answer,
          )
        : sendWithToken(token, options, {
            send: (value, left) => once(call, `Bearer ${value}`, left),
            isRefused: isCredentialRefusal,
          }),
  };
}

/** Returns true if the provider refused our credentials, not another party's. */
function isCredentialRefusal(answer: HttpResult): boolean {
  return (
    answer.kind === 'answer' &&
    answer.status === 401 &&
    readError(answer.body)?.errorCode === 'clientAuthorisationError'
  );
}

export function readError(body: Buffer): WireError | null {
  return readCleanJson(errorSchema, body);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
