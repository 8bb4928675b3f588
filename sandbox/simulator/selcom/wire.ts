import { createHmac } from 'node:crypto';
import { clockTimeOf, DAY_OFFSET } from '../../../src/domain/day.ts';

/** Selcom's side of its API gateway, from its pages and its own clients (test/fixtures/selcom.json). */
export const PATHS = {
  createOrder: '/checkout/create-order-minimal',
  walletPayment: '/checkout/wallet-payment',
  orderStatus: '/checkout/order-status',
  pushUssd: '/wallet/pushussd',
  pushStatus: '/c2b/query-status',
  walletPayout: '/walletcashin/process',
  walletPayoutStatus: '/walletcashin/query',
  walletName: '/walletcashin/namelookup',
  bankPayout: '/qwiksend/process',
  bankPayoutStatus: '/qwiksend/query',
  bankName: '/qwiksend/lookup',
  balance: '/vendor/balance',
} as const;

/** The fields of a POST's body or a GET's query. */
export type Fields = Readonly<Record<string, string | number>>;
export type Keys = { apiKey: string; apiSecret: string };

/** Writes Dar es Salaam time in whole seconds. */
export function timestampNow(): string {
  return `${clockTimeOf(Date.now()).slice(0, 19)}${DAY_OFFSET}`;
}

/** The digest covers the header `timestamp` as sent, and the fields in the order of `signed-fields`. */
export function signatureOf(keys: Keys, fields: Fields, timestamp: string): Record<string, string> {
  const text = Object.entries(fields).map(([name, value]) => `&${name}=${value}`);
  return {
    authorization: `SELCOM ${Buffer.from(keys.apiKey).toString('base64')}`,
    'digest-method': 'HS256',
    digest: createHmac('sha256', keys.apiSecret)
      .update(`timestamp=${timestamp}${text.join('')}`)
      .digest('base64'),
    timestamp,
    'signed-fields': Object.keys(fields).join(','),
  };
}

export function isSigned(
  keys: Keys,
  headers: Readonly<Record<string, string | undefined>>,
  fields: Fields,
): boolean {
  const names = (headers['signed-fields'] ?? '').split(',').map((name) => name.trim());
  if (names.some((name) => !(name in fields)) || new Set(names).size < names.length) return false;
  const signed = Object.fromEntries(names.map((name) => [name, fields[name] ?? '']));
  const expected = signatureOf(keys, signed, headers.timestamp ?? '');
  return ['authorization', 'digest-method', 'digest'].every((name) => headers[name] === expected[name]);
}
