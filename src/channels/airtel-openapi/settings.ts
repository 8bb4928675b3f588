import { z } from 'zod';
import { oneOrTwo } from '../kit/secret.ts';

const versions = ['v1', 'v2', 'v3'] as const;

/** docs/channels/airtel-openapi.md lists the questions to ask Airtel. */
export const airtelOpenapiSettings = z
  .strictObject({
    /** `https://openapi.airtel.co.tz` */
    url: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')),
    clientId: z.string().min(1),
    clientSecret: z.string().min(1),
    country: z.string().length(2).default('TZ'),
    currency: z.string().length(3).default('TZS'),
    /** v2 is signed */
    collectVersion: z.enum(['v1', 'v2']).default('v1'),
    payoutVersion: z.enum(versions).default('v1'),
    signPayouts: z.boolean().default(false),
    /** four digits of our wallet; absent: no payouts */
    pin: z
      .string()
      .regex(/^\d{4,8}$/)
      .optional(),
    pinEncryption: z.enum(['pkcs1', 'oaep']).default('pkcs1'),
    /** base64 SPKI or PEM from the portal; absent: read from `/v1/rsa/encryption-keys` */
    publicKey: z.string().min(64).optional(),
    /** only for v3 payouts: `NORMAL`, `SALARIED` …; Airtel sets it */
    walletType: z.string().min(1).optional(),
    /** the application's private key for callbacks; absent: every callback is only a hint */
    callbackKey: oneOrTwo(z.string().min(1)).optional(),
    /** wallet that DP00900001019 says is barred: ours or the payee's */
    payoutBarred: z.enum(['sender', 'recipient']).default('sender'),
    /** true: ESB000008 (a field is wrong) proves that nothing was done */
    fieldErrorIsFinal: z.boolean().default(true),
    /** version of the balance call; v2 names the wallet */
    balanceVersion: z.enum(['v1', 'v2']).default('v2'),
    tokenMarginSeconds: z.number().int().min(0).max(300).default(30),
    promptTtlSeconds: z.number().int().positive().default(300),
    /** Airtel asks for no earlier enquiry */
    firstEnquiryAfterSeconds: z.number().int().positive().default(180),
    settleTimeSeconds: z.number().int().positive().default(60),
  })
  .refine((settings) => settings.payoutVersion !== 'v3' || settings.walletType !== undefined, {
    path: ['walletType'],
    message: 'v3 payouts need a walletType',
  });
export type AirtelOpenapiSettings = z.infer<typeof airtelOpenapiSettings>;
