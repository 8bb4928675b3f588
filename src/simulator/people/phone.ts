import type Router from '@koa/router';
import type { Context } from 'koa';
import { parseMsisdn, showMsisdn } from '../../domain/msisdn.ts';
import { networkOfNumber } from '../../domain/network.ts';
import { readJson } from '../core/body.ts';
import type { Book } from '../core/book.ts';
import type { Orders } from '../core/orders.ts';
import { specialEndings } from '../core/scenario.ts';
import { walletOf } from '../core/wallet.ts';
import { presentPrompt } from './customer.ts';

/** What the page at the simulator's address asks about a customer's phone, and about a bank account. */
export function addPhone(router: Router, simulated: { book: Book; orders: Orders }): void {
  const { orders } = simulated;

  router.get('/phone/wallet', (context) => {
    const party = parseMsisdn(textOf(context.query.phone_number));
    if (party === null) return context.throw(422, 'phone_number is not a number');
    context.body = {
      phone_number: showMsisdn(party),
      network: networkOfNumber(party)?.name ?? null,
      ...walletOf(simulated, party),
      prompts: orders.prompts(party).map(presentPrompt),
    };
  });

  router.get('/phone/bank', (context) => {
    const account = textOf(context.query.account_number);
    if (!/^[0-9A-Za-z]{1,34}$/.test(account)) return context.throw(422, 'account_number is not a number');
    context.body = { account_number: account, ...walletOf(simulated, account) };
  });

  router.get('/phone/settings', (context) => {
    context.body = { by_hand: orders.isByHand(), endings: specialEndings };
  });

  router.post('/phone/settings', async (context) => {
    const body = (await readSameOriginJson(context)) as { by_hand?: unknown } | undefined;
    if (typeof body?.by_hand !== 'boolean') return context.throw(422, 'by_hand: true or false');
    await orders.setByHand(body.by_hand);
    context.body = { by_hand: orders.isByHand(), endings: specialEndings };
  });
}

/** A page of another origin cannot send JSON without a preflight, and the simulator never allows it. */
export async function readSameOriginJson(context: Context): Promise<unknown> {
  if (!context.is('application/json')) return context.throw(415, 'application/json, please');
  return readJson(context);
}

function textOf(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}
