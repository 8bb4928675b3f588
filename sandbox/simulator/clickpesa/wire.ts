import { createHmac } from 'node:crypto';
import { toDecimal, toFixedDecimal } from '../../../src/domain/money.ts';
import { networkById } from '../../../src/domain/network.ts';
import { movedBy, type Order } from '../core/order.ts';

/** ClickPesa's messages, from its pages (docs.clickpesa.com: api-reference, home/webhooks, home/checksum). */
const FEE = 47.1;

/** Sorts members by name, at every level. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const own = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(own)
      .sort()
      .map((name) => [name, inOrder(own[name])]),
  );
}

export function checkSum(payload: object, key: string): string {
  const { checksum: _sum, checksumMethod: _method, ...rest } = payload as Record<string, unknown>;
  return createHmac('sha256', key)
    .update(JSON.stringify(inOrder(rest)))
    .digest('hex');
}

function statusOf(order: Order): string {
  const failed = order.direction === 'in' ? 'FAILED' : 'REVERSED';
  return order.returned ? failed : { pending: 'PROCESSING', succeeded: 'SUCCESS', failed }[order.state];
}

/**
 * A success has the amount that moved; a payout also has the order's amount with the fee. The pages print
 * only a payout's amounts with two decimals.
 */
export function rowOf(order: Order, state: string = statusOf(order)) {
  const moved = movedBy(order);
  const first = { id: order.id, orderReference: order.reference, status: state };
  if (order.direction === 'in')
    return {
      ...first,
      channel: networkById(order.network)?.name ?? null,
      paymentReference: order.receipt,
      collectedAmount: state === 'FAILED' ? '0' : toDecimal(moved),
      collectedCurrency: order.currency,
      message: '',
      customer: { customerName: 'ASHA JUMA', customerPhoneNumber: order.party, customerEmail: null },
    };
  const amount = toFixedDecimal(moved);
  return {
    ...first,
    amount: (Number(amount) + FEE).toFixed(2),
    fee: FEE.toFixed(2),
    channel: order.network === 'bank' ? 'BANK TRANSFER' : 'MOBILE MONEY',
    order: { amount, currency: order.currency },
    beneficiary: { accountNumber: order.party, accountName: 'ASHA JUMA', amount },
  };
}

export function previewOf(amount: number, receiver: { accountNumber: string; accountName: string }) {
  return { amount: amount + FEE, balance: 1_000_000, fee: FEE, order: { amount }, receiver };
}

export function webhookOf(order: Order): object {
  const isLost = order.state === 'failed' || order.returned;
  const payout = isLost ? 'PAYOUT REVERSED' : 'PAYOUT INITIATED';
  const payment = isLost ? 'PAYMENT FAILED' : 'PAYMENT RECEIVED';
  return { event: order.direction === 'out' ? payout : payment, data: rowOf(order) };
}
