import { randomUUID } from 'node:crypto';
import type { NewOrder, Order } from '../core/order.ts';
import type { Refusal } from '../core/scenario.ts';
import { COUNTRY, PATTERNS } from './wire.ts';

export const RAIL = 'vodacom-openapi';

/** The first is for unlisted codes. */
const sentences: Record<string, string> = {
  'INS-0': 'Request processed successfully',
  'INS-1': 'Internal Error',
  'INS-6': 'Transaction Failed',
  'INS-9': 'Request timeout',
  'INS-10': 'Duplicate Transaction',
  'INS-13': 'Invalid Shortcode Used',
  'INS-15': 'Invalid Amount Used',
  'INS-17': 'Invalid Transaction Reference. Length Should Be Between 1 and 20',
  'INS-18': 'Invalid TransactionID Used',
  'INS-19': 'Invalid ThirdPartyConversationID Used',
  'INS-20': 'Not All Parameters Provided. Please try again',
  'INS-23': 'Transaction not found',
  'INS-26': 'Invalid Currency Used',
  'INS-30': 'Invalid Purchased Items Description Used',
  'INS-31': 'Invalid Payment Items Description Used',
  'INS-32': 'Invalid KYC Query Type',
  'INS-990': 'Customer Transaction Value Limit Breached',
  'INS-993': 'Organization Transaction Count Limit Breached',
  'INS-997': 'API Not Enabled',
  'INS-998': 'Invalid Market',
  'INS-2006': 'Insufficient balance',
  'INS-2051': 'MSISDN invalid',
};

const statuses: Record<string, number> = {
  'INS-0': 201,
  'INS-1': 500,
  'INS-6': 401,
  'INS-9': 408,
  'INS-10': 409,
  'INS-2006': 422,
};

export const statusOfCode = (code: string) => statuses[code] ?? 400;
const sentenceOf = (code: string) => sentences[code] ?? 'Request refused';

/** The API has no code for a customer who declined: an enquiry's status says so. */
const codes: Record<Refusal, string> = {
  limit_reached: 'INS-990',
  not_registered: 'INS-2051',
  declined: 'INS-6',
  insufficient_funds: 'INS-2006',
  expired: 'INS-9',
  network_error: 'INS-6',
};

export function codeOf(order: Order): string {
  if (order.state === 'succeeded') return 'INS-0';
  // A synchronous call ends before the outcome is known.
  return order.state === 'failed' ? codes[order.refusal ?? 'network_error'] : 'INS-9';
}

function stateOf(order: Order, whilePending: string): string {
  if (order.state === 'pending') return whilePending;
  if (order.state === 'succeeded') return 'Completed';
  if (order.refusal === 'expired') return 'Expired';
  return order.refusal === 'declined' && order.direction === 'in' ? 'Cancelled' : 'Failed';
}

export function answerOf(code: string, conversationId: string) {
  return {
    output_ResponseCode: code,
    output_ResponseDesc: sentenceOf(code),
    output_ConversationID: randomUUID().replaceAll('-', ''),
    output_ThirdPartyConversationID: conversationId,
  };
}

export function enquiryAnswerOf(
  order: Order,
  more: { conversationId: string; whilePending: string; reversed: boolean },
) {
  return {
    ...answerOf('INS-0', more.conversationId),
    output_ResponseTransactionStatus: stateOf(order, more.whilePending),
    output_OriginalTransactionID: order.state === 'pending' ? 'N/A' : order.receipt,
    output_Reversed: more.reversed ? 'True' : 'False',
  };
}

export function callbackOf(order: Order) {
  const code = codeOf(order);
  return {
    input_OriginalConversationID: order.id,
    input_TransactionID: order.state === 'succeeded' ? order.receipt : 'N/A',
    input_ResultCode: code,
    input_ResultDesc: sentenceOf(code),
    input_ThirdPartyConversationID: order.clientId,
  };
}

export type Fields = Record<string, unknown>;

/** Accepts numbers too. Returns an empty text if the field is missing. */
export function textOf(fields: Fields, name: string): string {
  const value = fields[`input_${name}`];
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

/** If a field does not match its pattern, its code refuses the payment. */
const checks: readonly (readonly [name: string, code: string, pattern: RegExp])[] = [
  ['Country', 'INS-998', new RegExp(`^${COUNTRY}$`)],
  ['Currency', 'INS-26', /^TZS$/],
  ['ServiceProviderCode', 'INS-13', PATTERNS.serviceProviderCode],
  ['Amount', 'INS-15', PATTERNS.amount],
  ['CustomerMSISDN', 'INS-2051', PATTERNS.msisdn],
  ['TransactionReference', 'INS-17', PATTERNS.transactionReference],
  ['ThirdPartyConversationID', 'INS-19', PATTERNS.conversationId],
];

/** Returns a payment, or the code that refuses it. */
export function readPayment(
  fields: Fields,
  direction: 'in' | 'out',
  callbackUrl: string | null,
): NewOrder | string {
  const items = direction === 'in' ? 'PurchasedItemsDesc' : 'PaymentItemsDesc';
  const names = [...checks.map(([name]) => name), items];
  if (names.some((name) => textOf(fields, name) === '')) return 'INS-20';
  const wrong = checks.find(([name, , pattern]) => !pattern.test(textOf(fields, name)));
  if (wrong) return wrong[1];
  if (!PATTERNS.itemsText.test(textOf(fields, items))) return direction === 'in' ? 'INS-30' : 'INS-31';
  const amount = Number(textOf(fields, 'Amount'));
  if (!(amount > 0)) return 'INS-15';
  return {
    id: randomUUID().replaceAll('-', ''),
    rail: RAIL,
    clientId: textOf(fields, 'ThirdPartyConversationID'),
    reference: textOf(fields, 'TransactionReference'),
    direction,
    network: 'm-pesa',
    party: textOf(fields, 'CustomerMSISDN'),
    amount,
    callbackUrl,
  };
}
