import type { Context, Middleware } from 'koa';
import { formatMoney, MINOR_PER_UNIT, minor } from '../../../src/domain/money.ts';
import { parseMsisdn } from '../../../src/domain/msisdn.ts';
import type { Order } from '../core/order.ts';
import type { RailContext } from '../core/rail.ts';
import { isSlow, ownerOf } from '../core/scenario.ts';
import { pause } from '../core/take.ts';
import { envelope } from './messages.ts';
import { PATHS } from './wire.ts';

/** TZS in each of the merchant's wallets at the start. */
const OPENING_BALANCE = 1_000_000;
const PAGE_MAX = 1_000;

export function addAirtelAccount(
  rail: RailContext,
  { guard, rail: name }: { guard: Middleware; rail: string },
): void {
  const { router, orders, timing } = rail;
  // Before `:msisdn`, which would also match `balance`.
  router.get(PATHS.balanceV1, guard, (context) => showBalance(context));
  router.get(PATHS.balanceV2, guard, (context) => showBalance(context));
  router.get(`${PATHS.users}:msisdn`, guard, showUser);
  router.get(PATHS.transactions, guard, list);

  const moved = () => orders.all().filter((order) => order.rail === name && order.state === 'succeeded');

  function showBalance(context: Context): void {
    const wanted = { COLL: 'in', DISB: 'out' }[String(context.query.type)];
    const sum = moved()
      .filter(({ direction }) => wanted === undefined || direction === wanted)
      .reduce(
        (total, order) => total + (order.direction === 'in' ? 1 : -1) * amountOf(order),
        OPENING_BALANCE,
      );
    const balance = formatMoney(minor(sum * MINOR_PER_UNIT));
    context.body = {
      data: { balance, currency: 'TZS', account_status: 'Active' },
      ...envelope('DP02100000001', 'SUCCESS', 200),
    };
  }

  async function showUser(context: Context): Promise<void> {
    const text = String(context.params.msisdn);
    const number = parseMsisdn(text);
    if (number !== null && isSlow(number)) await pause(timing.slowAnswerMs);
    const owner = number === null ? null : ownerOf(number);
    if (number === null || owner === null) {
      context.status = 400;
      context.body = envelope('DP02200000002', 'User Not Found', 400);
      return;
    }
    const [first, ...others] = owner.split(' ');
    context.body = {
      data: {
        first_name: first,
        last_name: others.join(' '),
        grade: 'SUBS',
        is_barred: false,
        is_pin_set: true,
        msisdn: Number(number.slice(3)),
        registration: { id: 'SUBS', status: 'SUBSCRIBER' },
      },
      ...envelope('DP02200000001', 'SUCCESS', 200),
    };
  }

  function list(context: Context): void {
    const { from, to, limit = PAGE_MAX, offset = 0 } = context.query;
    const within = moved().filter((order) => {
      const at = createdAt(order);
      return at >= Number(from ?? 0) && at <= Number(to ?? Number.MAX_SAFE_INTEGER);
    });
    const page = within.slice(Number(offset), Number(offset) + Math.min(Number(limit), PAGE_MAX));
    context.body = {
      data: { count: within.length, transactions: page.map(listed) },
      ...envelope('DP00800001001', 'SUCCESS', 200),
    };
  }
}

function listed(order: Order) {
  const customer = { msisdn: order.party.slice(3), name: ownerOf(order.party) };
  const merchant = { msisdn: '780000000', name: 'MALIPO' };
  return {
    charges: { service: '0' },
    payer: order.direction === 'in' ? customer : merchant,
    payee: order.direction === 'in' ? merchant : customer,
    service: { type: order.direction === 'in' ? 'MERCHPAY' : 'DISBURSE' },
    transaction: {
      airtel_money_id: order.receipt,
      amount: String(amountOf(order)),
      created_at: String(createdAt(order)),
      id: order.reference,
      reference_number: `N${order.receipt}`,
      status: 'TS',
    },
  };
}

const amountOf = (order: Order) => order.movedAmount ?? order.amount;
const createdAt = (order: Order) => Math.floor(order.receivedAt / 1000);
