import { z } from 'zod';
import { oneOrTwo } from '../kit/secret.ts';

const codes = z.array(z.string().regex(/^[0-9A-Za-z]{1,16}$/)).max(50);

/** Selcom's codes of wallet payouts. With `CASHIN` it finds a ported number's network itself. */
const UTILITY_CODES: Record<string, string> = {
  'm-pesa': 'VMCASHIN',
  'airtel-money': 'AMCASHIN',
  'tigo-pesa': 'TPCASHIN',
  halopesa: 'HPCASHIN',
  't-pesa': 'TTCASHIN',
};

/** Durations are milliseconds (docs/channels/selcom.md). */
export const selcomSettings = z.strictObject({
  /** the base address with its version: `https://apigw.selcommobile.com/v1` */
  url: z.url({ protocol: /^https?$/ }).transform((address) => address.replace(/\/+$/, '')),
  /** the first of two signs our requests; a notification may use either */
  apiKey: oneOrTwo(z.string().min(1)),
  apiSecret: oneOrTwo(z.string().min(1)),
  /** our till, which receives orders and pushes */
  vendor: z.string().min(1),
  /** the float account of payouts and its PIN; no payouts without the PIN */
  floatVendor: z.string().min(1).optional(),
  floatPin: z.string().min(1).optional(),
  /** `checkout`: an order, then its wallet payment. `push-ussd`: one call, notified as a bill payment. */
  collect: z.enum(['checkout', 'push-ussd']).default('checkout'),
  /** an order needs both; Selcom checks neither */
  buyerName: z.string().min(1).max(120).default('Customer'),
  buyerEmail: z.email().default('payments@malipo.invalid'),
  /** how long Selcom keeps an unpaid order */
  orderExpiryMinutes: z.int().min(1).max(1_440).default(10),
  /** the account's currency: no answer of Selcom has one */
  currency: z.string().length(3).default('TZS'),
  /** the bearer token that Selcom sends to the second address (`push-ussd` only) */
  c2bToken: oneOrTwo(z.string().min(16)).optional(),
  /** how to enquire about a push; the page allows either */
  pushStatusBy: z.enum(['transid', 'reference']).default('transid'),
  utilityCodes: z.record(z.string(), z.string()).default(UTILITY_CODES),
  /** utility codes without a name lookup */
  namelessCodes: codes.default(['VMCASHIN']),
  /** BIC of eight characters → Selcom's short name, beside the known ones (banks.ts) */
  bankCodes: z.record(z.string().length(8), z.string()).default({}),
  /** the sender of a bank payout; the default `account` is our float account */
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
  /** codes for "this transid came before"; none is documented */
  duplicateCodes: codes.default([]),
  /** codes to treat as unclear, although the page calls every unlisted code a failure */
  unclearCodes: codes.default([]),
});
export type SelcomSettings = z.output<typeof selcomSettings>;
