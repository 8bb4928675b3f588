import { randomUUID } from 'node:crypto';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { request } from 'undici';
import { isUuid } from '../../../src/domain/ids.ts';
import { readSameOriginJson } from '../core/body.ts';
import type { ReceivedEvent, Receiver } from './receiver.ts';

export type MerchantOptions = {
  /** the service's address, without a trailing slash */
  url: string;
  apiKey: string;
  /** another person's, which starts batches */
  approverKey?: string | undefined;
};

const NO_MERCHANT = {
  status: 503,
  body: { success: false, message: 'Set SIMULATOR_GATEWAY_URL and SIMULATOR_MERCHANT_KEY' },
};
const TIMEOUT_MS = 15_000;
const TRANSACTIONS_SHOWN = 12;
const CALLBACKS_SHOWN = 60;
const BATCHES_SHOWN = 3;

/** Things that a merchant can create on the page, each with its path in the API. */
const creations: Record<string, string> = {
  push: 'payments/ussd',
  bill: 'payments/billpay',
  qr: 'payments/qr',
  number: 'payments/numbers',
  link: 'payments/links',
  mobile: 'payouts/mobile',
  bank: 'payouts/bank',
  batch: 'payouts/batches',
};

/**
 * Calls the API as a merchant and shows the callbacks that reached `/receiver`. The page never has the key.
 */
export function addMerchant(
  router: Router,
  { receiver, merchant }: { receiver: Receiver; merchant: MerchantOptions | undefined },
): void {
  router.get('/merchant/activity', async (context) => {
    const callbacks = receiver.latest(CALLBACKS_SHOWN).map(present);
    if (!merchant) {
      context.body = { known: false, transactions: [], batches: [], callbacks };
      return;
    }
    const look = (path: string) => ask(context, merchant, { method: 'GET', path });
    const [transactions, batches] = await Promise.all([
      look(`transactions?per_page=${TRANSACTIONS_SHOWN}`),
      look(`payouts/batches?per_page=${BATCHES_SHOWN}`),
    ]);
    const dataOf = ({ body }: { body: unknown }) => (body as { data?: unknown[] }).data ?? [];
    context.body = {
      known: true,
      reached: transactions.status === 200,
      transactions: dataOf(transactions),
      batches: dataOf(batches),
      callbacks,
    };
  });

  router.post('/merchant/start', async (context) => {
    const body = (await readSameOriginJson(context)) as { id?: unknown; items_hash?: unknown } | undefined;
    const id =
      typeof body?.id === 'string' && isUuid(body.id) ? body.id : context.throw(422, 'id of a batch');
    const path = `payouts/batches/${id}/start`;
    const approver = merchant && { ...merchant, apiKey: merchant.approverKey ?? merchant.apiKey };
    await order(context, approver, { path, body: { items_hash: body?.items_hash } });
  });

  router.post('/merchant/:what', async (context) => {
    const path = creations[String(context.params.what)];
    if (path === undefined) return context.throw(404, 'no such request');
    await order(context, merchant, { path, body: await readSameOriginJson(context) });
  });
}

type Ask = { method: 'GET' | 'POST'; path: string; body?: unknown };

async function order(context: Context, merchant: MerchantOptions | undefined, wanted: Omit<Ask, 'method'>) {
  const answer = merchant ? await ask(context, merchant, { method: 'POST', ...wanted }) : NO_MERCHANT;
  context.status = answer.status;
  context.body = answer.body;
}

/** Answers 503 if the service is unreachable or answers no JSON. */
async function ask(context: Context, { url, apiKey }: MerchantOptions, { method, path, body }: Ask) {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'accept-language': context.get('accept-language') || 'en',
    ...(method === 'POST' ? { 'content-type': 'application/json', 'idempotency-key': randomUUID() } : {}),
  };
  try {
    const answer = await request(`${url}/api/v1/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: answer.statusCode, body: await answer.body.json() };
  } catch {
    return { status: 503, body: { success: false, message: 'The service cannot be reached' } };
  }
}

function present(event: ReceivedEvent) {
  return {
    transaction_id: event.transaction_id,
    event_id: event.event_id,
    event: eventNameOf(event.body),
    received_at: event.received_at,
    service_signature_verified: event.service_signature_verified,
    standard_webhooks_verified: event.standard_webhooks_verified,
    body: event.body,
  };
}

function eventNameOf(body: string): string | null {
  try {
    const { event } = JSON.parse(body) as { event?: unknown };
    return typeof event === 'string' ? event : null;
  } catch {
    return null;
  }
}
