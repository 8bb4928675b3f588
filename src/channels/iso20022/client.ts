import type { CallOptions } from '../../domain/channel.ts';
import { createHttpClient, type HttpClient, type HttpResult } from '../http.ts';
import { type BankSecrets, CONTENT_TYPE, isSignedBy, SIGNATURE_HEADER, signatureOf } from './wire.ts';

export type BankClient = {
  pay(xml: string, call: CallOptions): Promise<HttpResult>;
  status(reference: string, call: CallOptions): Promise<HttpResult>;
  verify(xml: string, call: CallOptions): Promise<HttpResult>;
};

/** The HTTP binding of the bank rail: every request is signed, and an answer that carries a signature is held to it. */
export function createBankClient({
  url,
  secrets,
  http = createHttpClient(),
}: {
  url: string;
  secrets: BankSecrets;
  http?: HttpClient | undefined;
}): BankClient {
  async function send(
    method: 'GET' | 'POST',
    path: string,
    xml: string,
    call: CallOptions,
  ): Promise<HttpResult> {
    const result = await http.send({
      method,
      url: `${url}${path}`,
      headers: {
        accept: 'application/xml',
        [SIGNATURE_HEADER.toLowerCase()]: signatureOf(xml, secrets[0]),
        ...(method === 'POST' ? { 'content-type': CONTENT_TYPE } : {}),
      },
      body: method === 'POST' ? xml : undefined,
      timeoutMs: call.timeoutMs,
      signal: call.signal,
    });
    return result.kind === 'answer' && !isGenuine(result)
      ? { kind: 'broken', detail: 'forged answer' }
      : result;
  }

  function isGenuine({ headers, body }: HttpResult & { kind: 'answer' }): boolean {
    const signature = headers[SIGNATURE_HEADER.toLowerCase()];
    return signature === undefined || isSignedBy(body, String(signature), secrets);
  }

  return {
    pay: (xml, call) => send('POST', '/payments', xml, call),
    status: (reference, call) => send('GET', `/payments/${encodeURIComponent(reference)}`, '', call),
    verify: (xml, call) => send('POST', '/verifications', xml, call),
  };
}
