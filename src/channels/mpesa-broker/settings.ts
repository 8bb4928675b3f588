import { z } from 'zod';
import { oneOrTwo } from '../kit/secret.ts';
import { PASSWORD_FORMS, RECEIPT_NAMES, RESULT_ELEMENTS, TRANSACTION_ID_PLACES } from './wire.ts';

const milliseconds = z.number().int().min(0);

/** Durations are milliseconds (docs/channels/mpesa-broker.md). */
export const mpesaBrokerSettings = z.strictObject({
  spId: z.string().min(1),
  /** `recipient` of messages to us; absent: any */
  shortCode: z.string().min(1).optional(),
  /** Both sides prove themselves with it. Of two, we answer with the one that the broker used. */
  password: oneOrTwo(z.string().min(1)),
  passwordForm: z.enum(PASSWORD_FORMS).default('base64'),
  /** largest clock difference; null accepts any time stamp, so an old proof may be replayed */
  timestampToleranceMs: milliseconds.nullable().default(900_000),
  resultUrl: z.url({ protocol: /^https?$/ }),
  resultElement: z.enum(RESULT_ELEMENTS).default('result'),
  receiptNames: z.enum(RECEIPT_NAMES).default('service'),
  /** some agreements have none */
  serviceId: z.string().min(1).nullable().default(null),
  initiator: z.string().default(''),
  initiatorPassword: z.string().default(''),
  acknowledgementTransactionId: z.enum(TRANSACTION_ID_PLACES).default('third'),
  /** The broker waits 2 s. After this time we acknowledge without a decision, and the result brings it. */
  acknowledgeMsMax: milliseconds.default(1_500),
  resultTimeoutMs: milliseconds.default(10_000),
});
export type MpesaBrokerSettings = z.infer<typeof mpesaBrokerSettings>;
