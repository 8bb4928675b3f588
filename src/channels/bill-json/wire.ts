import { z } from 'zod';
import { said } from '../kit/said.ts';

/** Three steps share one body. Unknown fields are ignored. The simulator imports only this file. */
export const BILL_JSON_STEPS = ['lookup', 'validation', 'notification'] as const;
export type BillJsonStep = (typeof BILL_JSON_STEPS)[number];

export const BILL_JSON_PATH = '/channels/bill';

const textOrNumber = said();

export const billJsonRequestSchema = z.object({
  operator: z.string().max(256).nullish(),
  /** receipt, the same in all three steps; a lookup may lack it */
  transid: textOrNumber.nullish(),
  reference: textOrNumber.nullish(),
  utilityref: textOrNumber.nullish(),
  amount: textOrNumber.nullish(),
  msisdn: textOrNumber.nullish(),
});

/** TRY_AGAIN comes only with HTTP 503 (or 500): nothing was decided. `amount`: TZS, two decimals at most. */
export const billJsonAnswerSchema = z.object({
  reference: z.string().nullable(),
  transid: z.string().nullable(),
  resultcode: z.string(),
  result: z.enum(['SUCCESS', 'FAIL', 'TRY_AGAIN']),
  message: z.string(),
  name: z.string().nullable(),
  amount: z.number().nullable(),
});
export type WireBillJsonAnswer = z.infer<typeof billJsonAnswerSchema>;
