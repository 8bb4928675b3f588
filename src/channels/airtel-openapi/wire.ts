import { z } from 'zod';

/**
 * The messages of the Airtel Africa Open API as far as we send or read them. Unknown members are ignored.
 */
export const AIRTEL_PATHS = {
  token: '/auth/oauth2/token',
  encryptionKeys: '/v1/rsa/encryption-keys',
  collectV1: '/merchant/v1/payments/',
  collectV2: '/merchant/v2/payments/',
  payoutV1: '/standard/v1/disbursements/',
  payoutV2: '/standard/v2/disbursements/',
  payoutV3: '/standard/v3/disbursements',
  /** followed by our id */
  enquireCollection: '/standard/v1/payments/',
  enquirePayout: '/standard/v1/disbursements/',
  /** followed by the number */
  users: '/standard/v1/users/',
  balanceV1: '/standard/v1/users/balance',
  balanceV2: '/standard/v2/users/balance',
  transactions: '/merchant/v1/transactions',
} as const;

export const SIGNATURE_HEADER = 'x-signature';
export const KEY_HEADER = 'x-key';
/** Some read the document so that the callback's hash is a header of this name. */
export const HASH_HEADER = 'hash';

/** Sent by the network for ids that it does not have, or garbles: `false`, a number, nothing. */
const looseId = z.union([z.string().max(256), z.number(), z.boolean()]).nullish();
const text = z.string().max(1024).nullish();
/** Some texts come as numbers; what is neither is unreadable. */
const textOrNumber = z.union([z.string().max(256), z.number().transform(String)]);

/** Seconds as text (`"180"`, the portal) or as a number (older hosts). */
export const tokenSchema = z.object({
  access_token: z.string().min(1).max(8192),
  expires_in: z.coerce.number().positive().optional(),
});

/** Every answer's envelope; a router in front answers in a form of its own. Codes are text or the answer is unreadable. */
export const envelopeSchema = z.object({
  status: z
    .object({
      code: z.union([z.string().max(64), z.number()]).nullish(),
      message: text,
      result_code: z.string().max(64).nullish(),
      response_code: z.string().max(64).nullish(),
      success: z.boolean().nullish(),
    })
    .nullish(),
  status_code: z.string().max(64).nullish(),
  status_message: text,
  error: z.string().max(256).nullish(),
  error_description: text,
});
export type WireEnvelope = z.infer<typeof envelopeSchema>;

/** `data.transaction` of an answer to a payment, a payout or an enquiry. */
export const transactionAnswerSchema = envelopeSchema.extend({
  data: z
    .object({
      transaction: z
        .object({
          id: looseId,
          reference_id: looseId,
          airtel_money_id: z.string().max(256).nullish(),
          message: text,
          status: z.string().max(64).nullish(),
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
    valid_upto: z.string().max(64).nullish(),
  }),
});

export const userSchema = envelopeSchema.extend({
  data: z
    .object({
      first_name: z.string().max(256).nullish(),
      last_name: z.string().max(256).nullish(),
      is_barred: z.boolean().nullish(),
      msisdn: textOrNumber.nullish(),
    })
    .nullish(),
});

/** The balance is text with commas: `"37,600.00"`. */
export const balanceSchema = envelopeSchema.extend({
  data: z.object({ balance: textOrNumber, currency: z.string().max(8), account_status: text }),
});

const listedPartySchema = z.object({ msisdn: textOrNumber.nullish(), name: text }).nullish();
export const transactionListSchema = envelopeSchema.extend({
  data: z.object({
    count: z.number().nullish(),
    transactions: z
      .array(
        z.object({
          charges: z.object({ service: textOrNumber.nullish() }).nullish(),
          payee: listedPartySchema,
          payer: listedPartySchema,
          service: z.object({ type: text }).nullish(),
          transaction: z.object({
            airtel_money_id: z.string().max(256).nullish(),
            amount: textOrNumber,
            created_at: textOrNumber.nullish(),
            id: looseId,
            reference_number: looseId,
            status: z.string().max(64).nullish(),
          }),
        }),
      )
      .max(10_000),
  }),
});
export type WireTransactionList = z.infer<typeof transactionListSchema>;

/** `POST` to our address. `hash` is there when callback authentication is on. An unknown status must parse. */
export const callbackSchema = z.object({
  transaction: z.object({
    id: z.string().min(1).max(64),
    message: text,
    status_code: z.string().max(64),
    airtel_money_id: z.string().max(256).nullish(),
    code: z.string().max(64).nullish(),
  }),
  hash: z.string().max(256).nullish(),
});
export type WireCallback = z.infer<typeof callbackSchema>;

/** The code of a status that is neither: it says that the request was understood. */
export const UNDERSTOOD = 'ESB000010';
