import { randomUUID } from 'node:crypto';
import { parseMsisdn } from '../../domain/msisdn.ts';
import { networkOfNumber } from '../../domain/network.ts';
import type { NewOrder } from '../core/order.ts';
import type { Fields } from './wire.ts';

/** Requests that move money: a prompt on a phone, or a payout. */
export type Product = 'push' | 'wallet' | 'bank';
export type Missing = { missing: string };
export type Wanted = { fields: Fields; order: Omit<NewOrder, 'rail' | 'receipt'> | null };

/** The mandatory fields of each call, as the page lists them; without one the gateway answers 412. */
const MANDATORY = {
  order: [
    'vendor',
    'order_id',
    'buyer_email',
    'buyer_name',
    'buyer_phone',
    'amount',
    'currency',
    'no_of_items',
  ],
  payment: ['transid', 'order_id', 'msisdn'],
  push: ['transid', 'utilityref', 'amount', 'vendor', 'msisdn'],
  wallet: ['transid', 'utilitycode', 'utilityref', 'amount', 'vendor', 'pin'],
  bank: [
    'transid',
    'recipientFiCode',
    'recipientAccount',
    'recipientName',
    'senderAccount',
    'senderName',
    'amount',
    'vendor',
    'pin',
    'msisdn',
    'purpose',
  ],
  balance: ['vendor', 'pin', 'transid'],
} as const;

const UTILITY_NETWORKS: Record<string, string> = {
  VMCASHIN: 'm-pesa',
  AMCASHIN: 'airtel-money',
  TPCASHIN: 'tigo-pesa',
  EZCASHIN: 'tigo-pesa',
  HPCASHIN: 'halopesa',
  TTCASHIN: 't-pesa',
};

/** Reads one call; which field it lacks when it is none. Numbers come as text too. */
export function requestOf(kind: keyof typeof MANDATORY, fields: Fields): Wanted | Missing {
  const missing = MANDATORY[kind].find((name) => String(fields[name] ?? '').trim() === '');
  if (missing !== undefined) return { missing };
  if (kind === 'balance' || kind === 'payment') return { fields, order: null };
  if (!isAmount(fields.amount)) return { missing: 'amount' };
  if (kind === 'order') return { fields, order: null };
  return kind === 'push' ? pushOf(fields) : payoutOf(kind, fields);
}

/** `wallet/pushussd`: the reference is what the payment names. */
function pushOf(fields: Fields): Wanted | Missing {
  const missing = MANDATORY.push.find((name) => String(fields[name] ?? '').trim() === '');
  const party = parseMsisdn(String(fields.msisdn ?? ''));
  if (missing !== undefined || party === null || !isAmount(fields.amount))
    return { missing: missing ?? (party === null ? 'msisdn' : 'amount') };
  const { transid, utilityref, amount } = fields;
  const order = { clientId: String(transid), reference: String(utilityref), amount: Number(amount), party };
  return { fields, order: collectionOf({ ...order, currency: 'TZS', callbackUrl: null, notifies: 'c2b' }) };
}

/** `checkout/wallet-payment` of an order that was made before. */
export function walletPaymentOf(
  fields: Fields,
  created: { orderId: string; amount: number; currency: string; webhook: string | null },
): Wanted | Missing {
  const missing = MANDATORY.payment.find((name) => String(fields[name] ?? '').trim() === '');
  const party = parseMsisdn(String(fields.msisdn ?? ''));
  if (missing !== undefined || party === null) return { missing: missing ?? 'msisdn' };
  const { orderId: reference, amount, currency, webhook: callbackUrl } = created;
  const order = { clientId: String(fields.transid), reference, amount, party, currency, callbackUrl };
  return { fields, order: collectionOf({ ...order, notifies: 'webhook' }) };
}

function collectionOf(wanted: {
  clientId: string;
  reference: string;
  amount: number;
  party: string;
  currency: string;
  callbackUrl: string | null;
  notifies: 'webhook' | 'c2b';
}): Wanted['order'] {
  const { notifies, ...rest } = wanted;
  const network = networkOfNumber(wanted.party)?.id ?? 'unknown';
  return { ...rest, id: randomUUID(), direction: 'in', network, detail: { product: 'push', notifies } };
}

function payoutOf(kind: 'wallet' | 'bank', fields: Fields): Wanted | Missing {
  const transid = String(fields.transid);
  const party = kind === 'bank' ? String(fields.recipientAccount) : parseMsisdn(String(fields.utilityref));
  if (party === null) return { missing: 'utilityref' };
  const named = UTILITY_NETWORKS[String(fields.utilitycode)];
  const network = kind === 'bank' ? 'bank' : (named ?? networkOfNumber(party)?.id ?? 'unknown');
  const order: Wanted['order'] = {
    id: randomUUID(),
    clientId: transid,
    reference: transid,
    direction: 'out',
    network,
    party,
    amount: Number(fields.amount),
    currency: 'TZS',
    callbackUrl: null,
    detail: { product: kind, bank: fields.recipientFiCode ?? null },
  };
  return { fields, order };
}

/** Whole shillings, more than none. */
function isAmount(given: unknown): boolean {
  return /^[1-9]\d{0,11}$/.test(String(given));
}
