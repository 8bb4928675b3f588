import { z } from 'zod';
import { oneOrTwo } from '../kit/secret.ts';
import { readPublicKey } from './key.ts';
import { ENVIRONMENTS } from './wire.ts';

const milliseconds = z.number().int().min(0);

const callback = z.strictObject({
  /** Secret at the end of the response address in the portal. Without it a callback is only a hint. */
  token: oneOrTwo(z.string().min(32)).optional(),
});

/** Durations are milliseconds (docs/channels/vodacom-openapi.md). */
export const vodacomOpenapiSettings = z
  .strictObject({
    /** the host without a path: `https://openapi.m-pesa.com` */
    address: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')),
    environment: z.enum(ENVIRONMENTS),
    apiKey: z.string().min(1),
    /** printed by the portal; sandbox and production have different ones */
    publicKey: z.string().refine(isPublicKey, 'is no RSA public key in base64'),
    /** one of the application's trusted sources */
    origin: z.string().min(1).default('*'),
    serviceProviderCode: z.string().regex(/^[0-9A-Za-z]{4,12}$/),
    /** mode of the application in the portal; a wrong default would take "accepted" for "paid" */
    mode: z.enum(['synchronous', 'asynchronous']),
    /** set in the portal */
    sessionLifetimeMs: milliseconds.min(60_000).default(3_600_000),
    /** a new session is opened this long before the old one ends */
    sessionRenewBeforeMs: milliseconds.default(300_000),
    /** youngest age at which a new session is used: some networks need up to 30 s */
    sessionSettleMs: milliseconds.default(30_000),
    /** codes for "your session is refused, and nothing was done"; the real one is not known */
    sessionErrorCodes: z.array(z.string()).default(['INS-2']),
    /**
     * codes of an enquiry for "never seen"; the default is none, because only one source says it of INS-23
     * (docs/channels/vodacom-openapi.md)
     */
    notFoundCodes: z.array(z.string()).default([]),
    /** longest time of a collection, which waits while the customer types the PIN */
    sendTimeoutMs: milliseconds.min(1_000).default(40_000),
    /** true if the market has `queryBeneficiaryName`; unknown for Tanzania */
    beneficiaryName: z.boolean().default(false),
    /** spelling of the parameter, of which the portal prints both */
    kycQueryParameter: z.enum(['input_KycQueryType', 'input_KYCQueryType']).default('input_KycQueryType'),
    callback: callback.prefault({}),
  })
  .refine(
    (settings) => settings.sessionRenewBeforeMs + settings.sessionSettleMs <= settings.sessionLifetimeMs / 2,
    'sessionRenewBeforeMs and sessionSettleMs together must be at most half of sessionLifetimeMs',
  );
export type VodacomOpenapiSettings = z.infer<typeof vodacomOpenapiSettings>;

function isPublicKey(base64: string): boolean {
  try {
    readPublicKey(base64);
    return true;
  } catch {
    return false;
  }
}
