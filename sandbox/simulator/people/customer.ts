import type Router from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import { parseMsisdn, showMsisdn } from '../../../src/domain/msisdn.ts';
import { readJson } from '../core/body.ts';
import type { Order } from '../core/order.ts';
import type { Orders } from '../core/orders.ts';

export function addCustomer(router: Router, orders: Orders): void {
  router.get('/customer/prompts', (context) => {
    const { phone_number: number } = context.query;
    const party = typeof number === 'string' ? parseMsisdn(number) : null;
    if (number !== undefined && party === null) return context.throw(422, 'phone_number is not a number');
    context.body = { prompts: orders.prompts(party ?? undefined).map(presentPrompt) };
  });

  router.post('/customer/prompts/:id', async (context) => {
    const body = (await readJson(context)) as { action?: unknown } | undefined;
    const action = body?.action;
    if (action !== 'approve' && action !== 'decline') return context.throw(422, 'action: approve or decline');
    const order = orders.byId(String(context.params.id));
    if (!order) return context.throw(404, 'no such prompt');
    const accepted = await orders.answerPrompt(order, action);
    context.status = accepted ? 200 : 409;
    context.body = { accepted, message: accepted ? `Prompt ${action}d` : 'The prompt is not open' };
  });
}

/** Every answer to a customer has the same form, also for a request that was no payment. */
export async function answerInJson(context: Context, next: Next): Promise<void> {
  try {
    await next();
  } catch (error) {
    if (!(error instanceof Koa.HttpError) || !error.expose) throw error;
    context.status = error.status;
    context.body = { accepted: false, message: error.message, receipt: null };
  }
}

export function presentPrompt(order: Order) {
  return {
    id: order.id,
    phone_number: showMsisdn(order.party),
    amount: order.amount,
    currency: order.currency,
    network: order.network,
    reference: order.reference,
    expires_at: new Date(order.expiresAt).toISOString(),
  };
}
