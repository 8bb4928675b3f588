import type { Context } from 'koa';
import { clockTimeOf } from '../../../src/domain/day.ts';
import { formatMoney, toDecimal } from '../../../src/domain/money.ts';
import { networkById } from '../../../src/domain/network.ts';
import { movedBy, type Order } from '../core/order.ts';

/** The gateway's one form of answer. `status`: HTTP; default 200. */
export type Reply = {
  status?: number;
  resultcode: string;
  result: string;
  message: string;
  reference?: string | null;
  transid?: string | null;
  data?: unknown[];
};

export function reply(context: Context, { status = 200, ...body }: Reply): void {
  context.status = status;
  context.body = { reference: null, data: [], ...body };
}

export const SUCCESS = { resultcode: '000', result: 'SUCCESS' } as const;

export const IN_PROGRESS = {
  resultcode: '111',
  result: 'PENDING',
  message: 'Request in progress. You will receive a callback shortly.',
} as const;

export const AMBIGUOUS = {
  resultcode: '999',
  result: 'AMBIGUOUS',
  message: 'No reponse from upstream system',
} as const;

export function refusal(code: string, message: string, status = 200): Reply {
  return { status, resultcode: code, result: 'FAIL', message };
}

/** Selcom does not document why a wallet or bank refused: only an unknown number has its own code. */
function refusalOf({ refusal: why }: Order): Reply {
  return why === 'not_registered'
    ? refusal('010', 'Invalid account or payment reference')
    : refusal('738', 'Transaction failed');
}

/** Selcom's page calls these fields mandatory. */
export function refuseField(context: Context, name: string): void {
  reply(context, refusal('412', `Parameter ${name} is invalid or missing`, 412));
}

/** A payout's end, the same in its own answer and its status, without an amount. */
export function payoutOf(order: Order): Reply {
  if (order.state === 'pending') return { ...IN_PROGRESS, result: 'INPROGRESS' };
  if (order.state === 'failed') return refusalOf(order);
  return { ...SUCCESS, message: 'Transaction successful', data: [{ receipt: `${order.receipt}W` }] };
}

function paymentStatusOf({ state, refusal: why }: Order): string {
  if (state === 'pending') return 'INPROGRESS';
  if (state === 'succeeded') return 'COMPLETED';
  if (why === 'declined') return 'USERCANCELLED';
  return why === 'expired' ? 'CANCELLED' : 'REJECTED';
}

/** `data[0]` of an order's status; a payment's members are there only once the order is completed. */
export function orderRow(created: { orderId: string; amount: number; at: number }, order: Order | undefined) {
  const paid = order?.state === 'succeeded' ? order : undefined;
  return {
    order_id: created.orderId,
    creation_date: clockTimeOf(created.at).slice(0, 19).replace('T', ' '),
    amount: paid ? toDecimal(movedBy(paid)) : String(created.amount),
    payment_status: order ? paymentStatusOf(order) : 'PENDING',
    transid: paid ? `${paid.receipt}T` : null,
    channel: paid ? channelNameOf(paid.network) : null,
    reference: paid ? paid.receipt : null,
    phone: paid ? paid.party : null,
  };
}

export function pushMessage(order: Order): string {
  const amount = formatMoney(movedBy(order)).replace(/\.00$/, '');
  return [
    ' | COMPLETE | CONFIRMED | Payment successful',
    `Utility ${order.reference}`,
    `Amt TZS ${amount}`,
    `TransID ${order.clientId}`,
    `Reference ${order.receipt}`,
    '#RunsOnSelcom',
  ].join('\n');
}

const channelNames: Record<string, string> = {
  'm-pesa': 'MPESA-TZ',
  'airtel-money': 'AIRTELMONEY',
  'tigo-pesa': 'TIGOPESATZ',
  halopesa: 'HALOPESATZ',
  't-pesa': 'TTCLMOBILE',
};

function channelNameOf(network: string): string {
  return channelNames[network] ?? networkById(network)?.name ?? network.toUpperCase();
}

export function webhookOf(order: Order): Record<string, string> {
  return {
    transid: order.clientId,
    order_id: order.reference,
    reference: order.receipt,
    result: 'SUCCESS',
    resultcode: '000',
    payment_status: 'COMPLETED',
    channel: channelNameOf(order.network),
    amount: toDecimal(movedBy(order)),
    phone: order.party,
  };
}

/** A push is notified in the form of bill payments. */
export function c2bOf(order: Order): Record<string, string> {
  return {
    operator: channelNameOf(order.network),
    transid: `${order.receipt}T`,
    reference: order.receipt,
    utilityref: order.reference,
    amount: toDecimal(movedBy(order)),
    msisdn: order.party,
  };
}
