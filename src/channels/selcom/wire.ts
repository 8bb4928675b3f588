import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { clockTimeOf, DAY_OFFSET } from '../../domain/day.ts';
import { said, sentence } from '../kit/said.ts';
import { allSecrets, firstSecret, isSameText, type Secrets } from '../kit/secret.ts';

export const SELCOM_PATHS = {
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

/** Selcom notifies orders at the first path; the second is for `push-ussd`. */
export const SELCOM_WEBHOOK_PATH = '/channels/selcom';
export const SELCOM_C2B_PATH = '/channels/selcom/c2b';
export const SELCOM_C2B_STEPS = ['lookup', 'validation', 'notification'] as const;
export type SelcomC2bStep = (typeof SELCOM_C2B_STEPS)[number];

/** The fields are signed and sent in this order: a POST's JSON body, a GET's query. */
export type SelcomFields = Readonly<Record<string, string | number>>;

const code = z.string().regex(/^[0-9A-Za-z]{1,16}$/);

/** Every answer has this envelope. `resultcode` is text, because a number would lose its zeros. */
export const envelopeSchema = z.object({
  resultcode: code,
  result: z.string().trim().max(64),
  message: sentence.nullable(),
  reference: said().nullish(),
  transid: said().nullish(),
  data: z.unknown().optional(),
});
export type WireEnvelope = z.infer<typeof envelopeSchema>;

const amount = said(32);

/** Only a completed order has a reference. Unread members may be anything. */
export const orderSchema = z.object({
  order_id: said(),
  payment_status: said(64, 1),
  amount: amount.nullish(),
  transid: said().nullish(),
  reference: said().nullish(),
});
export type WireOrder = z.infer<typeof orderSchema>;

/** `data[0]` of a name lookup, of a found wallet payout, or of a balance. */
export const nameSchema = z.object({ name: z.string().min(1).max(256) });
export const receiptSchema = z.object({
  receipt: said(64),
});
export const balanceSchema = z.object({ balance: amount });

/** Selcom notifies a paid order with this. One printed sample spells `resulcode`. */
export const webhookSchema = z.object({
  order_id: said(256, 1),
  transid: said().nullish(),
  reference: said().nullish(),
  result: said().nullish(),
  resultcode: said().nullish(),
  resulcode: said().nullish(),
  payment_status: said(64, 1),
  amount: amount.nullish(),
});
export type WireWebhook = z.infer<typeof webhookSchema>;

/** Selcom's messages about a `push-ussd` push have the push's `utilityref`. */
export const c2bSchema = z.object({
  operator: said().nullish(),
  transid: said().nullish(),
  reference: said().nullish(),
  utilityref: said(),
  amount: said().nullish(),
  msisdn: said().nullish(),
});

/** Some answers have `data` as an object instead of a list. */
export function firstOf<T extends z.ZodType>(schema: T, data: unknown): z.infer<T> | null {
  const parsed = schema.safeParse(Array.isArray(data) ? data[0] : data);
  return parsed.success ? parsed.data : null;
}

/** Selcom and we write the time of Dar es Salaam, in whole seconds: `2026-09-13T10:00:00+03:00`. */
export function timestampOf(atMs: number): string {
  return `${clockTimeOf(atMs).slice(0, 19)}${DAY_OFFSET}`;
}

/** `timestamp` is the header as sent; values are not encoded. */
export function signedTextOf(timestamp: string, pairs: readonly (readonly [string, unknown])[]): string {
  return pairs.reduce((sum, [name, value]) => `${sum}&${name}=${value}`, `timestamp=${timestamp}`);
}

/** `Digest` of HS256: base64(HMAC-SHA256). */
export function digestOf(secret: string, signedText: string): string {
  return createHmac('sha256', secret).update(signedText, 'utf8').digest('base64');
}

export function authorizationOf(apiKey: string): string {
  return `SELCOM ${Buffer.from(apiKey, 'utf8').toString('base64')}`;
}

/** Two of each are valid during a replacement. */
export type SelcomKeys = { apiKey: Secrets; apiSecret: Secrets };

/** Makes the headers of our request, or of Selcom's notification. */
export function signedHeaders(
  keys: SelcomKeys,
  fields: SelcomFields,
  timestamp: string,
): Record<string, string> {
  return {
    authorization: authorizationOf(firstSecret(keys.apiKey)),
    'digest-method': 'HS256',
    digest: digestOf(firstSecret(keys.apiSecret), signedTextOf(timestamp, Object.entries(fields))),
    timestamp,
    'signed-fields': Object.keys(fields).join(','),
  };
}

type Headers = Readonly<Record<string, string | undefined>>;
const SIGNED_FIELDS_MAX = 64;

/** Returns null if the list cannot be read. */
export function signedFieldsOf(headers: Headers): string[] | null {
  const names = (headers['signed-fields'] ?? '').split(',').map((name) => name.trim());
  const usable =
    names.length <= SIGNED_FIELDS_MAX && names.every((name) => name !== '' && name !== 'timestamp');
  return usable && new Set(names).size === names.length ? names : null;
}

/**
 * Returns true if our keys signed the message. The time stamp is used as sent: official clients write
 * `+0000`, `+00:00` and `+03:00`. `textOfField` is called only for a sender who knows our key; undefined: no
 * such field.
 */
export function isSignedBy(
  keys: SelcomKeys,
  headers: Headers,
  textOfField: (name: string) => string | undefined,
): boolean {
  const { timestamp, digest = '', authorization = '' } = headers;
  const apiKey = allSecrets(keys.apiKey).find((key) => isSameText(authorization, authorizationOf(key)));
  if (apiKey === undefined || headers['digest-method'] !== 'HS256') return false;
  const names = signedFieldsOf(headers);
  if (names === null || !timestamp) return false;
  const pairs = names.map((name) => [name, textOfField(name)] as const);
  // A text that looks like further fields could be split in another way.
  if (
    [timestamp, ...pairs.map(([, value]) => value)].some(
      (text) => text === undefined || /&[\w.]+=/.test(text),
    )
  )
    return false;
  const signed = signedTextOf(timestamp, pairs);
  const apiSecret = allSecrets(keys.apiSecret).find((secret) => isSameText(digest, digestOf(secret, signed)));
  if (apiSecret === undefined) return false;
  return true;
}
