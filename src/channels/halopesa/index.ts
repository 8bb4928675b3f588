import type { CallOptions, Channel, PushOrder, SendResult } from '../../domain/channel.ts';
import { toDecimal } from '../../domain/money.ts';
import type { HttpClient } from '../kit/http.ts';
import type { Capabilities } from '../kit/protocol.ts';
import { refusedHere } from '../kit/refused.ts';
import { isOurAddress } from '../kit/secret.ts';
import type { HalopesaSettings } from './settings.ts';
import { hintOf, pushResultOf, translateCallback } from './translate.ts';
import { CONTENT_TYPE, checkSumOf, wireTime, writeRequest } from './wire.ts';

/** HaloPesa documents no enquiry and no payout, so each order is sent only once. */
export const capabilities: Capabilities = {
  push: true,
  payouts: [],
  enquiry: false,
  deduplicates: { collection: false, payout: false },
};

export function createHalopesaChannel(of: {
  settings: HalopesaSettings;
  http: HttpClient;
  now?: () => number;
}): Channel {
  const { settings, http, now = Date.now } = of;
  const { token } = settings.callback;
  return {
    requestPush: push,
    enquire: async () => ({ kind: 'unknown', detail: 'this protocol has no enquiry' }),
    verifyNotification: (raw) => isOurAddress(raw, token),
    translateNotification: (raw) => translateCallback(raw, settings.callback),
    ...(token === undefined ? { hintOf } : {}),
  };

  async function push(order: PushOrder, call: CallOptions): Promise<SendResult> {
    const refused = refusedHere(order, order.currency);
    if (refused) return refused;
    const { url, secret, namespace, username, password, accountId, businessNumber, functionCode } = settings;
    const request = {
      // The network refuses a repeated requestid or reference, so both have one value.
      requestId: order.reference,
      username,
      password,
      requestTime: wireTime(now()),
      amount: toDecimal(order.amount),
      sender: order.party.msisdn,
      accountId,
      reference: order.reference,
      businessNumber,
      functionCode,
    };
    const body = writeRequest({ ...request, checkSum: checkSumOf(request, secret) }, namespace);
    const headers = { accept: '*/*', 'content-type': CONTENT_TYPE };
    const answer = await http.send({ method: 'POST', url, headers, body, ...call });
    return pushResultOf(answer, order.reference);
  }
}
