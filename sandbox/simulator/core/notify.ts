import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../../../src/base/within.ts';
import type { Notify, NotifyCall, Order } from './order.ts';

export type NotificationRequest = {
  url: string;
  method: 'PUT' | 'POST';
  headers: Record<string, string>;
  body: string;
};

/** Pauses between tries while the receiver is down, as networks do. */
const RETRY_DELAYS_MS = [500, 2_000, 7_000, 20_000];
const TIMEOUT_MS = 10_000;

/** Sends an order's result to its address. `write` returns null if the network sends nothing. */
export function notifyBy(
  write: (
    order: Order,
    url: string,
  ) => { method?: 'PUT'; headers?: Record<string, string>; body: string } | null,
): Notify {
  return async (order, call) => {
    const { callbackUrl: url } = order;
    const message = url === null || order.state === 'pending' ? null : write(order, url);
    if (url === null || message === null) return;
    const { method = 'POST', body } = message;
    const headers = { 'content-type': 'application/json', ...message.headers };
    await deliver({ url, method, headers, body }, call);
  };
}

/** Tries five times over about 30 s while the receiver is unreachable or answers 5xx. Never rejects. */
export async function deliver(
  notification: NotificationRequest,
  call: NotifyCall,
): Promise<'delivered' | 'refused' | 'given_up'> {
  for (const delayMs of [...RETRY_DELAYS_MS, null]) {
    const status = await attempt(notification, call);
    if (status !== null && status < 500) return status < 300 ? 'delivered' : 'refused';
    if (delayMs === null || call.signal.aborted) break;
    await sleep(delayMs, undefined, { signal: call.signal }).catch(() => undefined);
  }
  return 'given_up';
}

async function attempt(
  { url, method, headers, body }: NotificationRequest,
  call: NotifyCall,
): Promise<number | null> {
  try {
    const signal = within(TIMEOUT_MS, call.signal);
    return (await call.ask(url, { method, headers, body, signal })).status;
  } catch {
    return null;
  }
}
