import type { CallOptions } from '../../domain/channel.ts';
import { createToken, sendWithToken } from '../kit/fresh.ts';
import type { HttpClient, HttpResult } from '../kit/http.ts';
import type { MixxSettings } from './settings.ts';
import { readJson, tokenSchema, type WirePush } from './wire.ts';

export type MixxClient = {
  /** Sends a push with a token, which is renewed once if it is refused. */
  push(message: WirePush, call: CallOptions): Promise<HttpResult>;
  /** Sends a `<COMMAND>`, which has its own PIN and needs no token. */
  command(url: string, xml: string, call: CallOptions): Promise<HttpResult>;
  /** Pays out, with a token if needed; renews a refused token once. */
  payOut(account: { url: string; bearer: boolean }, xml: string, call: CallOptions): Promise<HttpResult>;
  /** Rejects with the reason if there is no token. */
  requireToken(): Promise<void>;
};

/** No method rejects, except `requireToken`. */
export function createMixxClient(
  settings: Pick<MixxSettings, 'push' | 'xmlContentType'>,
  http: HttpClient,
  now: () => number = () => performance.now(),
): MixxClient {
  const { push } = settings;
  const form = { username: push.username, password: push.password, grant_type: 'password' };
  const token = createToken(http, now, {
    request: {
      method: 'POST',
      url: push.tokenUrl,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'cache-control': 'no-cache' },
      body: new URLSearchParams(form).toString(),
    },
    marginMs: push.tokenRenewalMarginMs,
    read(body) {
      const given = readJson(tokenSchema, body);
      return given && { ...given, lifeSeconds: given.expires_in };
    },
  });

  const credentialsWith = (used: string) => ({
    authorization: `${push.scheme} ${used}`,
    username: push.username,
    password: push.password,
  });

  function once(message: WirePush, used: string, call: CallOptions): Promise<HttpResult> {
    const headers = {
      ...credentialsWith(used),
      accept: 'application/json',
      'cache-control': 'no-cache',
      'content-type': 'application/json',
    };
    return http.send({ method: 'POST', url: push.url, headers, body: JSON.stringify(message), ...call });
  }

  function command(url: string, xml: string, call: CallOptions, credentials = {}): Promise<HttpResult> {
    const headers = {
      ...credentials,
      accept: 'application/xml, text/xml',
      'content-type': settings.xmlContentType,
    };
    return http.send({ method: 'POST', url, headers, body: xml, ...call });
  }

  return {
    push: (message, options) =>
      sendWithToken(token, options, {
        send: (value, call) => once(message, value, call),
      }),

    command: (url, xml, call) => command(url, xml, call),

    payOut: ({ url, bearer }, xml, call) =>
      bearer
        ? sendWithToken(token, call, {
            send: (value, within) => command(url, xml, within, credentialsWith(value)),
          })
        : command(url, xml, call),

    async requireToken() {
      const got = await token.get();
      if ('missing' in got) throw new Error(got.missing);
    },
  };
}
