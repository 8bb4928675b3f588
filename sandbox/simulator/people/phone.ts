import type Router from '@koa/router';
import { phoneMessages } from '../../../src/domain/data/phone-messages.ts';
import { parseMsisdn, showMsisdn } from '../../../src/domain/msisdn.ts';
import { networkOfNumber } from '../../../src/domain/network.ts';
import { readSameOriginJson } from '../core/body.ts';
import type { Book } from '../core/book.ts';
import type { Orders } from '../core/orders.ts';
import { specialEndings } from '../core/scenario.ts';
import { walletOf } from '../core/wallet.ts';
import type { WireLog } from '../core/wire-log.ts';
import { presentPrompt } from './customer.ts';

type Simulated = { book: Book; orders: Orders; wire: WireLog; business: string };

export function addPhone(router: Router, simulated: Simulated): void {
  const { orders, wire, business } = simulated;
  const settings = () => ({ by_hand: orders.isByHand(), endings: specialEndings, business });

  router.get('/phone/wallet', (context) => {
    const party = parseMsisdn(textOf(context.query.phone_number));
    if (party === null) return context.throw(422, 'phone_number is not a number');
    context.body = {
      phone_number: showMsisdn(party),
      network: networkOfNumber(party)?.name ?? null,
      message_texts: phoneMessages[networkOfNumber(party)?.id ?? 'other'] ?? phoneMessages.other,
      ...walletOf(simulated, party),
      prompts: orders.prompts(party).map(presentPrompt),
    };
  });

  router.get('/phone/bank', (context) => {
    const account = textOf(context.query.account_number);
    if (!/^[0-9A-Za-z]{1,34}$/.test(account)) return context.throw(422, 'account_number is not a number');
    context.body = { account_number: account, ...walletOf(simulated, account) };
  });

  router.get('/phone/wire', (context) => {
    const number = textOf(context.query.number);
    const party = parseMsisdn(number) ?? number;
    if (!/^[0-9A-Za-z]{5,34}$/.test(party)) return context.throw(422, 'number is no phone and no account');
    context.body = { exchanges: wire.about(wordsAbout(simulated, party)) };
  });

  router.get('/phone/settings', (context) => {
    context.body = settings();
  });

  router.post('/phone/settings', async (context) => {
    const body = (await readSameOriginJson(context)) as { by_hand?: unknown } | undefined;
    if (typeof body?.by_hand !== 'boolean') return context.throw(422, 'by_hand: true or false');
    await orders.setByHand(body.by_hand);
    context.body = settings();
  });
}

/** Words of messages about a party: its number (with 255 or without), or its requests and payments. */
function wordsAbout(simulated: Simulated, party: string): string[] {
  const own = simulated.orders.all().filter((order) => order.party === party);
  const { messages } = walletOf(simulated, party);
  return [
    parseMsisdn(party) === null ? party : party.slice(-SUBSCRIBER_DIGITS),
    ...own.flatMap(({ id, reference, clientId, receipt }) => [id, reference, clientId, receipt]),
    ...messages.flatMap(({ receipt, control_number }) => [receipt, control_number]),
  ].filter((word): word is string => word !== null && word.length >= WORD_CHARACTERS_MIN);
}

const SUBSCRIBER_DIGITS = 9;
/** Shorter words also occur in messages about others. */
const WORD_CHARACTERS_MIN = 6;

function textOf(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}
