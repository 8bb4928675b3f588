import { z } from 'zod';
import { said, sentence } from '../kit/said.ts';

export const RECEIPT_FIELD = 'airtel_money_id';

export const AIRTEL_PATHS = {
  token: '/auth/oauth2/token',
  encryptionKeys: '/v1/rsa/encryption-keys',
  collectV1: '/merchant/v1/payments/',
  collectV2: '/merchant/v2/payments/',
  payoutV1: '/standard/v1/disbursements/',
  payoutV2: '/standard/v2/disbursements/',
  payoutV3: '/standard/v3/disbursements',
  enquireCollection: '/standard/v1/payments/',
  enquirePayout: '/standard/v1/disbursements/',
  users: '/standard/v1/users/',
  balanceV1: '/standard/v1/users/balance',
  balanceV2: '/standard/v2/users/balance',
  transactions: '/merchant/v1/transactions',
} as const;

export const SIGNATURE_HEADER = 'x-signature';
export const KEY_HEADER = 'x-key';
/** Another reading of the document finds the callback's hash in a header of this name. */
export const HASH_HEADER = 'hash';

/** The network sends `false`, a number or nothing for a missing id. */
const looseId = z.union([z.string().max(256), z.number(), z.boolean()]).nullish();

/** Seconds as text (`"180"`, the portal) or as a number (older hosts). */
export const tokenSchema = z.object({
  access_token: z.string().min(1).max(8192),
  expires_in: z.coerce.number().positive().optional(),
});

/** Every answer has this envelope, except those of the router in front. */
export const envelopeSchema = z.object({
  status: z
    .object({
      message: sentence,
      result_code: said(64).nullish(),
      response_code: said(64).nullish(),
    })
    .nullish(),
  status_code: said(64).nullish(),
  status_message: sentence,
  error: said().nullish(),
  error_description: sentence,
});
export type WireEnvelope = z.infer<typeof envelopeSchema>;

export const transactionAnswerSchema = envelopeSchema.extend({
  data: z
    .object({
      transaction: z
        .object({
          id: looseId,
          reference_id: looseId,
          airtel_money_id: said().nullish(),
          message: sentence,
          status: said(64).nullish(),
        })
        .nullish(),
    })
    .nullish(),
});
export type WireTransactionAnswer = z.infer<typeof transactionAnswerSchema>;

export const encryptionKeySchema = z.object({
  data: z.object({
    key_id: z.union([z.string(), z.number()]).nullish(),
    key: z.string().min(64).max(8192),
    valid_upto: said(64).nullish(),
  }),
});

export const userSchema = envelopeSchema.extend({
  data: z
    .object({
      first_name: said().nullish(),
      last_name: said().nullish(),
      msisdn: said().nullish(),
    })
    .nullish(),
});

/** The balance is text with commas: `"37,600.00"`. */
export const balanceSchema = envelopeSchema.extend({
  data: z.object({ balance: said(), currency: z.string().max(8), account_status: sentence }),
});

const listedPartySchema = z.object({ msisdn: said().nullish(), name: sentence }).nullish();
export const transactionListSchema = envelopeSchema.extend({
  data: z.object({
    count: z.number().nullish(),
    transactions: z
      .array(
        z.object({
          charges: z.object({ service: said().nullish() }).nullish(),
          payee: listedPartySchema,
          payer: listedPartySchema,
          service: z.object({ type: sentence }).nullish(),
          transaction: z.object({
            airtel_money_id: said().nullish(),
            amount: said(),
            created_at: said().nullish(),
            id: looseId,
            reference_number: looseId,
            status: said(64).nullish(),
          }),
        }),
      )
      .max(10_000),
  }),
});
export type WireTransactionList = z.infer<typeof transactionListSchema>;

/** `hash` is present with callback authentication. An unknown status must be readable too. */
export const callbackSchema = z.object({
  transaction: z.object({
    id: said(64, 1),
    message: sentence,
    status_code: said(64),
    airtel_money_id: said().nullish(),
    code: said(64).nullish(),
  }),
  hash: said().nullish(),
});
export type WireCallback = z.infer<typeof callbackSchema>;

/** This code is no status: it says that the request was understood. */
export const UNDERSTOOD = 'ESB000010';
