import { z } from 'zod';
import { oneOrTwo } from '../kit/secret.ts';
import { PASSWORD_FORMS, RECEIPT_NAMES, RESULT_ELEMENTS, TRANSACTION_ID_PLACES } from './wire.ts';

const milliseconds = z.number().int().min(0);

/** Our agreement with the broker (docs/channels/mpesa-broker.md). Durations are milliseconds. */
export const mpesaBrokerSettings = z.strictObject({
  spId: z.string().min(1),
  /** `recipient` of our messages; left out: any */
  shortCode: z.string().min(1).optional(),
  /** secret: proves the broker to us and us to the broker, whom we answer with the one that it used */
  password: oneOrTwo(z.string().min(1)),
  passwordForm: z.enum(PASSWORD_FORMS).default('base64'),
  /** how far its clock may be from ours; null: any timestamp will do, so an old proof may be used again */
  timestampToleranceMs: milliseconds.nullable().default(900_000),
  resultUrl: z.url({ protocol: /^https?$/ }),
  resultElement: z.enum(RESULT_ELEMENTS).default('result'),
  receiptNames: z.enum(RECEIPT_NAMES).default('service'),
  /** not in every agreement */
  serviceId: z.string().min(1).nullable().default(null),
  initiator: z.string().default(''),
  /** secret */
  initiatorPassword: z.string().default(''),
  acknowledgementTransactionId: z.enum(TRANSACTION_ID_PLACES).default('third'),
  /** the broker waits 2 s: a decision that takes longer is sent by the result alone */
  acknowledgeMsMax: milliseconds.default(1_500),
  resultTimeoutMs: milliseconds.default(10_000),
});
export type MpesaBrokerSettings = z.infer<typeof mpesaBrokerSettings>;
