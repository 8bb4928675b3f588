import { createHmac, timingSafeEqual } from 'node:crypto';
import type Router from '@koa/router';
import { readBody } from '../core/body.ts';

export type ReceivedEvent = {
  transaction_id: string | null;
  event_id: string | null;
  received_at: string;
  headers: Record<string, string>;
  /** exactly as it came, as UTF-8 */
  body: string;
  /** true if Service-Signature matches; null without a passphrase */
  service_signature_verified: boolean | null;
  /** true if the Standard Webhooks headers match; null without a passphrase */
  standard_webhooks_verified: boolean | null;
};

const EVENTS_MAX = 20_000;
const BYTES_MAX = 32 * 1024 * 1024;
const TOLERANCE_SECONDS = 5 * 60;

export type Receiver = {
  /** newest first */
  latest(count: number): ReceivedEvent[];
};

export function addReceiver(router: Router, options: { passphrase?: string | undefined }): Receiver {
  const events: ReceivedEvent[] = [];
  let bytes = 0;

  router.post('/receiver', async (context) => {
    const body = await readBody(context);
    const headers = plainHeaders(context.req.headers);
    events.push(examine(body, headers, options.passphrase));
    bytes += body.length;
    while (events.length > EVENTS_MAX || bytes > BYTES_MAX) {
      bytes -= Buffer.byteLength(events.shift()?.body ?? '');
    }
    context.body = { received: true };
  });

  router.get('/receiver/events', (context) => {
    const { transaction_id: transactionId } = context.query;
    context.body = {
      events: events.filter((event) => transactionId === undefined || event.transaction_id === transactionId),
    };
  });

  return { latest: (count) => events.slice(-count).reverse() };
}

function examine(
  body: Buffer,
  headers: Record<string, string>,
  passphrase: string | undefined,
): ReceivedEvent {
  const fields = parseObject(body.toString('utf8'));
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    transaction_id: text(fields.transaction_id),
    event_id: text(fields.event_id) ?? headers['webhook-id'] ?? null,
    received_at: new Date().toISOString(),
    headers,
    body: body.toString('utf8'),
    service_signature_verified:
      passphrase === undefined ? null : verifyServiceSignature(body, headers, passphrase),
    standard_webhooks_verified:
      passphrase === undefined ? null : verifyStandardWebhook(body, headers, passphrase),
  };
}

/** Lower-case hex HMAC-SHA256 of the body, keyed with the whole passphrase (docs/callbacks.md). */
function verifyServiceSignature(body: Buffer, headers: Record<string, string>, passphrase: string): boolean {
  const expected = createHmac('sha256', passphrase).update(body).digest('hex');
  return sameText(headers['service-signature'] ?? '', expected);
}

/** The Standard Webhooks specification signs `id.timestamp.body`: `v1,` and base64 of HMAC-SHA256. */
function verifyStandardWebhook(body: Buffer, headers: Record<string, string>, passphrase: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (id === undefined || timestamp === undefined || signatures === undefined) return false;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return false;
  const key = passphrase.startsWith('whsec_')
    ? Buffer.from(passphrase.slice('whsec_'.length), 'base64')
    : Buffer.from(passphrase, 'utf8');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return signatures.split(' ').some((signature) => sameText(signature, `v1,${expected}`));
}

function sameText(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function plainHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
