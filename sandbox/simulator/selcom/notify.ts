import { notifyBy } from '../core/notify.ts';
import type { Notify } from '../core/order.ts';
import { c2bOf, webhookOf } from './messages.ts';
import { signatureOf, timestampNow } from './wire.ts';

export type SelcomNotifyOptions = {
  apiKey?: string | undefined;
  apiSecret?: string | undefined;
  /** the signed fields of a notification: the printed ones (without the amount), or all */
  signedFields?: 'printed' | 'all';
  /** where payments of pushes are notified with this token (`push-ussd`) */
  c2b?: { url: string; token: string } | undefined;
};

const PRINTED = ['transid', 'order_id', 'reference', 'result', 'resultcode', 'payment_status'];

/** Notifies only successes. A cancel is silent, like every failure. */
export function createSelcomNotifier(options: SelcomNotifyOptions): Notify {
  const { apiKey = '', apiSecret = '', c2b } = options;

  return notifyBy((order) => {
    if (order.state !== 'succeeded') return null;
    if (order.detail.notifies === 'c2b')
      return { headers: { authorization: `Bearer ${c2b?.token}` }, body: JSON.stringify(c2bOf(order)) };
    const message = webhookOf(order);
    const names = options.signedFields === 'all' ? Object.keys(message) : PRINTED;
    const fields = Object.fromEntries(names.map((name) => [name, message[name] ?? '']));
    const headers = signatureOf({ apiKey, apiSecret }, fields, timestampNow());
    return { headers, body: JSON.stringify(message) };
  });
}
