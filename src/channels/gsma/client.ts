import { createHash } from 'node:crypto';
import type { CallOptions } from '../../domain/channel.ts';
import { readCleanJson } from '../clean-json.ts';
import { describeResult, type HttpClient, type HttpResult } from '../http.ts';
import { errorSchema, tokenSchema, type WireError } from './wire.ts';

export type GsmaSettings = {
  /** without a trailing slash; the paths of the standard are appended */
  url: string;
  username: string;
  password: string;
  /** `oauth` asks `POST …/accesstoken` for a Bearer token; `basic` sends the credentials with every call */
  authorisation: 'basic' | 'oauth';
  /** whole address of the token; `{url}/accesstoken` when it is left out. GSMA's SDKs ask `{host}/v1/oauth/accesstoken`. */
  tokenUrl?: string | undefined;
};

type GsmaCall = {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
};

export type GsmaClient = {
  /**
   * One call with our credentials. A 401 of an OAuth provider renews the token once and repeats the call: it was
   * refused before any processing. Never rejects.
   */
  send(call: GsmaCall, options: CallOptions): Promise<HttpResult>;
};

/** A token is renewed this long before it ends. */
const RENEWAL_MARGIN_MS = 30_000;
const TOKEN_LIFE_DEFAULT_SECONDS = 300;

type Credential = { header: string; validUntil: number };

export function createGsmaClient(
  settings: GsmaSettings,
  http: HttpClient,
  now: () => number = Date.now,
): GsmaClient {
  const basic = `Basic ${Buffer.from(`${settings.username}:${settings.password}`).toString('base64')}`;
  let credential: Credential = {
    header: basic,
    validUntil: settings.authorisation === 'basic' ? Infinity : 0,
  };
  let renewal: Promise<HttpResult | null> | undefined;

  /** Null when we have a credential, else why we have none. Concurrent callers share one request. */
  function renew(options: CallOptions): Promise<HttpResult | null> {
    renewal ??= askForToken(options).finally(() => {
      renewal = undefined;
    });
    return renewal;
  }

  async function askForToken({ timeoutMs }: CallOptions): Promise<HttpResult | null> {
    const answer = await http.send({
      method: 'POST',
      url: settings.tokenUrl ?? `${settings.url}/accesstoken`,
      headers: { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
      timeoutMs,
    });
    const token =
      answer.kind === 'answer' && answer.status === 200 ? readCleanJson(tokenSchema, answer.body) : null;
    // The token request is not the payment: whatever happened to it, the payment was not sent.
    if (!token) return { kind: 'not_sent', detail: `no access token: ${describeResult(answer)}` };
    const lifeMs = (token.expires_in ?? TOKEN_LIFE_DEFAULT_SECONDS) * 1000;
    credential = {
      header: `Bearer ${token.access_token}`,
      validUntil: now() + Math.max(lifeMs - RENEWAL_MARGIN_MS, lifeMs / 2),
    };
    return null;
  }

  async function once(call: GsmaCall, options: CallOptions): Promise<HttpResult> {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    return http.send({
      method: call.method,
      url: `${settings.url}${call.path}`,
      headers: {
        accept: 'application/json',
        authorization: credential.header,
        'x-date': new Date(now()).toISOString(),
        ...(body === undefined ? {} : { 'content-type': 'application/json', 'x-content-hash': sha256(body) }),
        ...call.headers,
      },
      body,
      ...options,
    });
  }

  return {
    async send(call, options) {
      if (credential.validUntil <= now()) {
        const refused = await renew(options);
        if (refused) return refused;
      }
      const used = credential;
      const answer = await once(call, options);
      if (settings.authorisation !== 'oauth' || !isCredentialRefusal(answer)) return answer;
      // Another call may have renewed it meanwhile.
      const refused = credential === used ? await renew(options) : null;
      return refused ?? once(call, options);
    },
  };
}

/** Our credentials were refused: a 401 without a readable error, or one that names ours and no other party's. */
export function isCredentialRefusal(answer: HttpResult): boolean {
  if (answer.kind !== 'answer' || answer.status !== 401) return false;
  const error = readError(answer.body);
  return error === null || error.errorCode === 'clientAuthorisationError';
}

export function readError(body: Buffer): WireError | null {
  return readCleanJson(errorSchema, body);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
