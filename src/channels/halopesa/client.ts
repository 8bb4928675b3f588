import type { CallOptions, PushOrder } from '../../domain/channel.ts';
import { toDecimal } from '../../domain/money.ts';
import type { HttpClient, HttpResult } from '../http.ts';
import type { HalopesaSettings } from './settings.ts';
import { CONTENT_TYPE, checkSumOf, wireTime, writeRequest } from './wire.ts';

export type HalopesaClient = {
  /** Sends a push, once: there is nothing to renew and nothing that may be repeated. Never rejects. */
  push(order: PushOrder, call: CallOptions): Promise<HttpResult>;
};

export function createHalopesaClient(
  settings: HalopesaSettings,
  http: HttpClient,
  now: () => number = Date.now,
): HalopesaClient {
  return {
    push(order, call) {
      const request = {
        // The network refuses a requestid that it has seen, as it refuses a reference: one name for both.
        requestId: order.reference,
        username: settings.username,
        password: settings.password,
        requestTime: wireTime(now()),
        amount: toDecimal(order.amount),
        sender: order.party.msisdn,
        accountId: settings.accountId,
        reference: order.reference,
        businessNumber: settings.businessNumber,
        functionCode: settings.functionCode,
      };
      const signed = { ...request, checkSum: checkSumOf(request, settings.secret) };
      const body = writeRequest(signed, settings.namespace);
      const headers = { accept: '*/*', 'content-type': CONTENT_TYPE };
      return http.send({ method: 'POST', url: settings.url, headers, body, ...call });
    },
  };
}
