import { z } from 'zod';
import { type MerchantErrorCode, merchantHttpStatusOf } from '../domain/errors.ts';
import { operations, uuid } from './answer-schemas.ts';

export const errorAnswer = z.strictObject({
  success: z.literal(false),
  message: z.string(),
  code: z.enum(Object.keys(merchantHttpStatusOf) as [MerchantErrorCode, ...MerchantErrorCode[]]),
  docs: z
    .string()
    .regex(/^https?:\/\/\S+\/docs\/errors#[a-z_]+$/)
    .meta({
      description: 'What the code means and what to do: its place in the reference',
    }),
  request_id: z.string(),
  errors: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
  transaction_id: uuid.optional(),
  operations: operations.optional(),
  retryable: z.boolean(),
});
