import type { CallOptions, RawNotification } from '../../domain/channel.ts';
import { createHttpClient, type HttpClient, type HttpResult } from '../kit/http.ts';
import { isSignedAnswer, isSignedRequest, SIGNATURE_HEADER, signRequest } from '../kit/signature.ts';
import { CONTENT_TYPE } from './wire.ts';

/** An answer without a valid signature is `broken`. */
export type BankClient = {
  pay(xml: string, call: CallOptions): Promise<HttpResult>;
  status(reference: string, call: CallOptions): Promise<HttpResult>;
  verify(xml: string, call: CallOptions): Promise<HttpResult>;
  isFromBank(raw: RawNotification, path: string): boolean;
};

/** We chose paths, headers and signature: no bank has confirmed them. */
export function createBankClient(bank: {
  url: string;
  secrets: readonly string[];
  now: () => Date;
  http?: HttpClient | undefined;
}): BankClient {
  const { url, secrets, now, http = createHttpClient() } = bank;
  const base = new URL(url).pathname.replace(/\/+$/, '');

  async function send(
    method: 'GET' | 'POST',
    path: string,
    xml: string,
    call: CallOptions,
  ): Promise<HttpResult> {
    const message = { method, path: `${base}${path}` };
    const signature = signRequest({ ...message, body: xml }, { secrets, now: now() });
    const result = await http.send({
      method,
      url: `${url}${path}`,
      headers: {
        accept: 'application/xml',
        [SIGNATURE_HEADER.toLowerCase()]: signature,
        ...(method === 'POST' ? { 'content-type': CONTENT_TYPE } : {}),
      },
      body: method === 'POST' ? xml : undefined,
      timeoutMs: call.timeoutMs,
      signal: call.signal,
      sent: call.sent,
    });
    if (result.kind !== 'answer') return result;
    const { status, headers, body } = result;
    const given = headers[SIGNATURE_HEADER.toLowerCase()]?.toString();
    const answer = { ...message, status, request: signature, body };
    return isSignedAnswer(given, answer, { secrets, now: now() })
      ? result
      : {
          kind: 'broken',
          detail: `HTTP ${status}, ${given ? 'not signed by the bank' : 'without a signature'}`,
        };
  }

  return {
    pay: (xml, call) => send('POST', '/payments', xml, call),
    status: (reference, call) => send('GET', `/payments/${encodeURIComponent(reference)}`, '', call),
    verify: (xml, call) => send('POST', '/verifications', xml, call),
    isFromBank({ method, headers, body }, path) {
      const header = headers[SIGNATURE_HEADER.toLowerCase()];
      return isSignedRequest(header, { method, path, body }, { secrets, now: now() });
    },
  };
}
