import { z } from 'zod';
import { oneOrTwo } from '../kit/secret.ts';
import { PAYOUT_ORDERS, PAYOUT_TYPES, REFERENCE_TAIL_LENGTH } from './wire.ts';

const address = z.url({ protocol: /^https?$/ });
const secret = z.string().min(1);
const msisdn = z.string().regex(/^\d{6,15}$/);

const push = z
  .strictObject({
    tokenUrl: address,
    url: address,
    username: secret,
    password: secret,
    /** every ReferenceID begins with it */
    billerCode: z.string().regex(/^[A-Za-z0-9]+$/),
    billerMsisdn: msisdn,
    /** The status enquiry accepts 20 characters, as far as we know. */
    referenceLengthMax: z.int().default(20),
    /** the spelling of the Authorization scheme */
    scheme: z.enum(['bearer', 'Bearer']).default('bearer'),
    tokenRenewalMarginMs: z.int().nonnegative().default(60_000),
  })
  .refine(
    ({ billerCode, referenceLengthMax }) => billerCode.length + REFERENCE_TAIL_LENGTH <= referenceLengthMax,
    { path: ['billerCode'], message: 'leaves no room for a reference: see referenceLengthMax' },
  );

const payout = z.strictObject({
  url: address,
  type: z.enum(PAYOUT_TYPES).default('REQMFICI'),
  /** true adds the pushes' token and credentials; most gateways need only the PIN */
  bearer: z.boolean().default(false),
  msisdn,
  pin: secret,
  senderName: z.string().min(1).max(60),
  brandId: z.string().min(1).max(20),
  language: z.string().min(1).max(5).default('EN'),
  /** integrations differ in which of the two is first */
  order: z.enum(PAYOUT_ORDERS).default('LANGUAGE1 BRAND_ID'),
});

/** The enquiry (MTPGGetSODetails) finds a reference. */
const status = z.strictObject({
  url: address,
  msisdn,
  pin: secret,
  /** RESULTCODEs for "no such order, ever"; none is public, so all but 0 are unknown */
  notFoundCodes: z.array(z.string().min(1)).default([]),
});

/** The payouts' account looks up a wallet's owner (QuerySubscriberReq). */
const names = z.strictObject({
  url: address,
  /** The answer has the name in this undocumented element: ask the network. */
  element: z.string().regex(/^[A-Za-z0-9_]+$/),
});

const callback = z.strictObject({
  /** our answer to a readable callback; `BILLER-30-0000-S` was seen too */
  acceptedCode: z.string().min(1).default('BILLER-18-0000-S'),
  refusedCode: z.string().min(1).default('BILLER-18-3020-E'),
  /** spelling of the answer's members: `ResponseCode`, or the newer `responseCode` */
  form: z.enum(['classic', 'newer']).default('classic'),
  /** Secret at the end of the address that the network calls. Without it a callback is only a hint. */
  token: oneOrTwo(z.string().min(32)).optional(),
});

/** Durations are milliseconds. */
export const mixxSettings = z
  .strictObject({
    push,
    status,
    payout: payout.optional(),
    names: names.optional(),
    callback: callback.prefault({}),
    /** Content-Type of XML; some gateways need `text/xml` */
    xmlContentType: z.enum(['application/xml', 'text/xml']).default('application/xml'),
  })
  .refine(({ names, payout }) => names === undefined || payout !== undefined, {
    path: ['names'],
    message: 'needs the account of payout',
  });
export type MixxSettings = z.infer<typeof mixxSettings>;
