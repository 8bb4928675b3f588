import type { CallOptions, Channel, PushOrder, SendResult } from '../../domain/channel.ts';
import type { HttpClient } from '../http.ts';
import type { Capabilities } from '../protocol.ts';
import { refusedHere } from '../refused.ts';
import { isSameSecret } from '../secret.ts';
import { createHalopesaClient } from './client.ts';
import type { HalopesaSettings } from './settings.ts';
import { hintOf, pushResultOf, translateCallback } from './translate.ts';

export type HalopesaChannelOptions = { settings: HalopesaSettings; http: HttpClient; now?: () => number };

/**
 * Nothing public says how HaloPesa is asked or pays out. A code for duplicates exists, but what cannot be asked about is
 * never sent twice.
 */
export const capabilities: Capabilities = {
  push: true,
  payouts: [],
  nameLookup: false,
  enquiry: false,
  deduplicates: { collection: false, payout: false },
};

/** HaloPesa over SOAP: pushes and the callbacks that end them. */
export function createHalopesaChannel({ settings, http, now }: HalopesaChannelOptions): Channel {
  const client = createHalopesaClient(settings, http, now);
  const { token } = settings.callback;
  return {
    requestPush: push,
    enquire: async () => ({ kind: 'unknown', detail: 'this protocol has no enquiry' }),
    verifyNotification: (raw) => token !== undefined && raw.token !== null && isSameSecret(raw.token, token),
    translateNotification: (raw) => translateCallback(raw, settings.callback),
    ...(token === undefined ? { hintOf } : {}),
  };

  async function push(order: PushOrder, call: CallOptions): Promise<SendResult> {
    const refused = refusedHere(order, order.currency);
    if (refused) return refused;
    return pushResultOf(await client.push(order, call), order.reference);
  }
}
