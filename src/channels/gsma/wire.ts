import { z } from 'zod';
import { said, sentence } from '../kit/said.ts';

export const RECEIPT_FIELD = 'transactionReference';

/**
 * We use these messages of the GSMA Mobile Money API 1.2. Tests check both sides against its OpenAPI
 * document. Unknown fields are ignored. The simulator imports only this file of the channel.
 */
export const GSMA_PREFIXES = ['', '/simulator/v1.2/passthrough/mm', '/2/oauth/simulator/v1.2/mm'] as const;
/** Paths with this prefix need a Bearer token of `POST …/accesstoken`. */
export const GSMA_OAUTH_PREFIX = '/2/oauth/simulator/v1.2/mm';
/** GSMA's own SDKs get a sandbox token at this path of the host. */
export const GSMA_SDK_TOKEN_PATH = '/v1/oauth/accesstoken';

const text = said();
const id = said(256, 1);

const partySchema = z
  .array(z.object({ key: id, value: id }))
  .min(1)
  .max(10);
export type WireParty = z.infer<typeof partySchema>;

const nameSchema = z
  .object({ fullName: text.optional(), firstName: text.optional(), lastName: text.optional() })
  .optional();
const kycSchema = z.object({ subjectName: nameSchema });
export type WireKyc = z.infer<typeof kycSchema>;

const pairs = z.array(z.object({ key: text, value: text })).max(20);

/** A decimal string has no sign and at most four decimals. */
const amountSchema = z.string().regex(/^([0]|([1-9][0-9]{0,17}))([.][0-9]{0,3}[0-9])?$/);

export const createSchema = z
  .object({
    amount: amountSchema,
    currency: z.string().length(3),
    debitParty: partySchema.optional(),
    creditParty: partySchema.optional(),
    requestingOrganisationTransactionReference: text.optional(),
    descriptionText: z.string().max(160).optional(),
    requestDate: text.optional(),
  })
  .refine((body) => body.debitParty !== undefined || body.creditParty !== undefined, 'a party is required');
export type WireCreate = z.infer<typeof createSchema>;

/** `transactionStatus` is a free string: only `completed` and `failed` have a meaning. */
export const transactionSchema = z.object({
  transactionReference: id,
  transactionStatus: id,
  type: text,
  amount: text,
  currency: text,
  debitParty: partySchema.optional(),
  creditParty: partySchema.optional(),
  senderKyc: kycSchema.optional(),
  recipientKyc: kycSchema.optional(),
  transactionReceipt: text.optional(),
  requestingOrganisationTransactionReference: text.optional(),
  descriptionText: sentence,
  creationDate: z.string().optional(),
  modificationDate: z.string().optional(),
});
export type WireTransaction = z.infer<typeof transactionSchema>;

/** `errordescription` has a small d in the standard. Codes are free strings: providers add their own. */
export const errorSchema = z.object({
  errorCategory: text,
  errorCode: id,
  errordescription: sentence,
  errorDateTime: z.string().optional(),
  errorParameters: pairs.optional(),
});
export type WireError = z.infer<typeof errorSchema>;

/** A failure callback repeats the RequestState's expiryTime in this error parameter. */
export const EXPIRY_PARAMETER = 'expiryTime';

export const requestStateSchema = z.object({
  /** any UUID version: the document requires only the form */
  serverCorrelationId: z.guid(),
  status: text.transform((word) => word.toLowerCase()).pipe(z.enum(['pending', 'completed', 'failed'])),
  notificationMethod: z.enum(['callback', 'polling']),
  objectReference: text.optional(),
  pendingReason: sentence,
  expiryTime: z.string().optional(),
  pollLimit: z.number().optional(),
  error: errorSchema.optional(),
});
export type WireRequestState = z.infer<typeof requestStateSchema>;

/** `GET /responses/{clientCorrelationId}` answers with the address of the resource or its RequestState. */
export const responseSchema = z.object({ link: id });
export type WireResponse = z.infer<typeof responseSchema>;

export const accountNameSchema = z.object({ name: nameSchema });
export type WireAccountName = z.infer<typeof accountNameSchema>;

/** `POST …/accesstoken` answers with this; some providers write the seconds as text. */
export const tokenSchema = z.object({
  access_token: said(8192, 1),
  expires_in: z.coerce.number().optional(),
});
export type WireToken = z.infer<typeof tokenSchema>;

export type WireHeartbeat = { serviceStatus: 'available' | 'unavailable' | 'degraded' };

export const typeOfDirection = { collection: 'merchantpay', payout: 'disbursement' } as const;
