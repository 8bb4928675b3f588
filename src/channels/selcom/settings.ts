import { z } from 'zod';
import { oneOrTwo } from '../kit/secret.ts';

const codes = z.array(z.string().regex(/^[0-9A-Za-z]{1,16}$/)).max(50);

/** Selcom has these codes for wallet payouts. With `CASHIN` it finds a ported number's network itself. */
const UTILITY_CODES: Record<string, string> = {
  'm-pesa': 'VMCASHIN',
  'airtel-money': 'AMCASHIN',
  'tigo-pesa': 'TPCASHIN',
  halopesa: 'HPCASHIN',
  't-pesa': 'TTCASHIN',
};

/** Durations are milliseconds (docs/channels/selcom.md). */
export const selcomSettings = z.strictObject({
  /** base address with its version: `https://apigw.selcommobile.com/v1` */
  url: z.url({ protocol: /^https?$/ }).transform((address) => address.replace(/\/+$/, '')),
  /** the first of two signs our requests; a notification may use either */
  apiKey: oneOrTwo(z.string().min(1)),
  apiSecret: oneOrTwo(z.string().min(1)),
  /** our till, which receives orders and pushes */
  vendor: z.string().min(1),
  /** float account of payouts and its PIN; without the PIN no payouts */
  floatVendor: z.string().min(1).optional(),
  floatPin: z.string().min(1).optional(),
  /** `checkout`: an order, then its wallet payment. `push-ussd`: one call, notified as a bill payment. */
  collect: z.enum(['checkout', 'push-ussd']).default('checkout'),
  /** an order needs both; Selcom checks neither */
  buyerName: z.string().min(1).max(120).default('Customer'),
  buyerEmail: z.email().default('payments@malipo.invalid'),
  orderExpiryMinutes: z.int().min(1).max(1_440).default(10),
  /** currency of the account, because no answer of Selcom has one */
  currency: z.string().length(3).default('TZS'),
  /** bearer token that Selcom sends to the second address (`push-ussd` only) */
  c2bToken: oneOrTwo(z.string().min(16)).optional(),
  /** id by which we enquire about a push; the page allows either */
  pushStatusBy: z.enum(['transid', 'reference']).default('transid'),
  utilityCodes: z.record(z.string(), z.string()).default(UTILITY_CODES),
  /** utility codes that have no name lookup */
  namelessCodes: codes.default(['VMCASHIN']),
  /** eight-character BIC → Selcom's short name, in addition to the known ones (banks.ts) */
  bankCodes: z.record(z.string().length(8), z.string()).default({}),
  /** sender of a bank payout; the default `account` is our float account */
  sender: z
    .strictObject({
      account: z.string().min(1).optional(),
      name: z.string().min(1).default('MALIPO'),
      msisdn: z.string().regex(/^255\d{9}$/),
      purpose: z.string().min(1).default('PAYMENT'),
    })
    .optional(),
  /** codes for "never seen"; none is documented, so the default is none */
  notFoundCodes: codes.default([]),
  /** codes for "this transid was sent before"; none is documented */
  duplicateCodes: codes.default([]),
  /** codes to treat as unclear, although the page calls every unlisted code a failure */
  unclearCodes: codes.default([]),
});
export type SelcomSettings = z.output<typeof selcomSettings>;
