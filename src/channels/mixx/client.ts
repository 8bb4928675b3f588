import type { CallOptions } from '../../domain/channel.ts';
import { describeResult, type HttpClient, type HttpResult } from '../http.ts';
import type { MixxSettings } from './settings.ts';
import { pushAnswerSchema, readCommand, readJson, tokenSchema, type WirePush } from './wire.ts';

export type MixxClient = {
  /** Sends a push with a token. A 401 of the gate came before any processing: the token is renewed and the push repeated, once. */
  push(message: WirePush, call: CallOptions): Promise<HttpResult>;
  /** Sends a `<COMMAND>`: it carries its own PIN and needs no token. */
  command(url: string, xml: string, call: CallOptions): Promise<HttpResult>;
};

type Token = { text: string; validUntil: number };
type Without = Extract<HttpResult, { kind: 'not_sent' }>;

/** None of its methods rejects. */
export function createMixxClient(
  settings: Pick<MixxSettings, 'push' | 'xmlContentType'>,
  http: HttpClient,
  now: () => number = Date.now,
): MixxClient {
  const { push } = settings;
  let token: Token | null = null;
  let renewal: Promise<Token | Without> | undefined;

  /** One request for a token serves everybody who needs one meanwhile. */
  function renew(call: CallOptions): Promise<Token | Without> {
    renewal ??= askForToken(call).finally(() => {
      renewal = undefined;
    });
    return renewal;
  }

  async function askForToken({ timeoutMs }: CallOptions): Promise<Token | Without> {
    const form = { username: push.username, password: push.password, grant_type: 'password' };
    const answer = await http.send({
      method: 'POST',
      url: push.tokenUrl,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'cache-control': 'no-cache' },
      body: new URLSearchParams(form).toString(),
      timeoutMs,
    });
    const granted =
      answer.kind === 'answer' && answer.status === 200 ? readJson(tokenSchema, answer.body) : null;
    // Asking for a token is not the payment: whatever happened to it, the payment was not sent.
    if (!granted) return { kind: 'not_sent', detail: `no access token: ${describeResult(answer)}` };
    const lifeMs = granted.expires_in * 1000;
    const validUntil = now() + Math.max(lifeMs - push.tokenRenewalMarginMs, lifeMs / 2);
    token = { text: granted.access_token, validUntil };
    return token;
  }

  function once(message: WirePush, used: Token, call: CallOptions): Promise<HttpResult> {
    const headers = {
      accept: 'application/json',
      authorization: `${push.scheme} ${used.text}`,
      'cache-control': 'no-cache',
      'content-type': 'application/json',
      username: push.username,
      password: push.password,
    };
    return http.send({ method: 'POST', url: push.url, headers, body: JSON.stringify(message), ...call });
  }

  return {
    async push(message, call) {
      const used = token !== null && token.validUntil > now() ? token : await renew(call);
      if ('kind' in used) return used;
      const answer = await once(message, used, call);
      if (!isRefusedAtTheGate(answer)) return answer;
      // Another call may have renewed it meanwhile.
      const next = token !== null && token !== used ? token : await renew(call);
      return 'kind' in next ? next : once(message, next, call);
    },

    command: (url, xml, call) =>
      http.send({
        method: 'POST',
        url,
        headers: { accept: 'application/xml, text/xml', 'content-type': settings.xmlContentType },
        body: xml,
        ...call,
      }),
  };
}

/** A 401 without a message of the application behind the gate: nothing was processed. */
export function isRefusedAtTheGate(answer: HttpResult): boolean {
  if (answer.kind !== 'answer' || answer.status !== 401) return false;
  return readJson(pushAnswerSchema, answer.body) === null && readCommand(answer.body) === null;
}
