import { parseMsisdn } from '../../../src/domain/msisdn.ts';
import { networkOfNumber } from '../../../src/domain/network.ts';
import type { NewOrder } from '../core/order.ts';
import type { Fields } from './wire.ts';

export type Product = 'push' | 'wallet' | 'bank';
export type Missing = { missing: string };
export type Wanted = { fields: Fields; order: Omit<NewOrder, 'rail'> | null };

/** The mandatory fields of each call, as the page lists them; without one the gateway answers 412. */
const MANDATORY = {
  order: 'vendor order_id buyer_email buyer_name buyer_phone amount currency no_of_items',
  payment: 'transid order_id msisdn',
  push: 'transid utilityref amount vendor msisdn',
  wallet: 'transid utilitycode utilityref amount vendor pin',
  bank:
    'transid recipientFiCode recipientAccount recipientName senderAccount ' +
    'senderName amount vendor pin msisdn purpose',
  balance: 'vendor pin transid',
} as const;

const UTILITY_NETWORKS: Record<string, string> = {
  VMCASHIN: 'm-pesa',
  AMCASHIN: 'airtel-money',
  TPCASHIN: 'tigo-pesa',
  EZCASHIN: 'tigo-pesa',
  HPCASHIN: 'halopesa',
  TTCASHIN: 't-pesa',
};

/** Reads one call, or returns the missing field. Numbers may be text. */
export function requestOf(kind: keyof typeof MANDATORY, fields: Fields): Wanted | Missing {
  const missing = missingIn(kind, fields);
  if (missing !== undefined) return { missing };
  if (kind === 'balance' || kind === 'payment') return { fields, order: null };
  if (!isAmount(fields.amount)) return { missing: 'amount' };
  if (kind === 'order') return { fields, order: null };
  return kind === 'push' ? pushOf(fields) : payoutOf(kind, fields);
}

function missingIn(kind: keyof typeof MANDATORY, fields: Fields): string | undefined {
  return MANDATORY[kind].split(' ').find((name) => String(fields[name] ?? '').trim() === '');
}

/** The payment uses the reference of `wallet/pushussd`. */
function pushOf(fields: Fields): Wanted | Missing {
  const { transid, utilityref, amount } = fields;
  const named = { clientId: String(transid), reference: String(utilityref), amount: Number(amount) };
  return collectionOf(fields, { ...named, detail: { product: 'push', notifies: 'c2b' } });
}

/** `checkout/wallet-payment` pays an earlier order. */
export function walletPaymentOf(
  fields: Fields,
  created: { orderId: string; amount: number; currency: string; webhook: string | null },
): Wanted | Missing {
  const missing = missingIn('payment', fields);
  if (missing !== undefined) return { missing };
  const { orderId: reference, amount, currency, webhook: callbackUrl } = created;
  const named = { clientId: String(fields.transid), reference, amount, currency, callbackUrl };
  return collectionOf(fields, { ...named, detail: { product: 'push', notifies: 'webhook' } });
}

function collectionOf(
  fields: Fields,
  wanted: Omit<NewOrder, 'rail' | 'direction' | 'network' | 'party'>,
): Wanted | Missing {
  const party = parseMsisdn(String(fields.msisdn));
  if (party === null) return { missing: 'msisdn' };
  const network = networkOfNumber(party)?.id ?? 'unknown';
  return { fields, order: { ...wanted, party, direction: 'in', network } };
}

function payoutOf(kind: 'wallet' | 'bank', fields: Fields): Wanted | Missing {
  const transid = String(fields.transid);
  const party = kind === 'bank' ? String(fields.recipientAccount) : parseMsisdn(String(fields.utilityref));
  if (party === null) return { missing: 'utilityref' };
  const named = UTILITY_NETWORKS[String(fields.utilitycode)];
  const network = kind === 'bank' ? 'bank' : (named ?? networkOfNumber(party)?.id ?? 'unknown');
  const order: Wanted['order'] = {
    clientId: transid,
    reference: transid,
    direction: 'out',
    network,
    party,
    amount: Number(fields.amount),
    detail: { product: kind, bank: fields.recipientFiCode ?? null },
  };
  return { fields, order };
}

/** Amounts are whole shillings above 0. */
function isAmount(given: unknown): boolean {
  return /^[1-9]\d{0,11}$/.test(String(given));
}
