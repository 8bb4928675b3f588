import type { RawNotification } from '../../src/domain/channel.ts';

/** A notification as it comes to a door; what is no text becomes JSON. */
export function rawOf(body: unknown, more: Partial<RawNotification> = {}): RawNotification {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { method: 'POST', transactionId: null, token: null, headers: {}, body: Buffer.from(text), ...more };
}
