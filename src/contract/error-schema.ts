import { z } from 'zod';
import { type MerchantErrorCode, merchantHttpStatusOf } from '../domain/errors.ts';
import { operations } from './answer-schemas.ts';
import { fieldError, ok, uuid } from './fields.ts';

export const errorAnswer = z.strictObject({
  success: z.literal(false).meta({ description: ok.success.description }),
  message: z.string().meta({ description: ok.message.description }),
  code: z
    .enum(Object.keys(merchantHttpStatusOf) as [MerchantErrorCode, ...MerchantErrorCode[]])
    .meta({ description: 'Names the error and never changes: decide by it' }),
  docs: z
    .string()
    .regex(/^https?:\/\/\S+\/docs\/errors#[a-z_]+$/)
    .meta({
      description: 'What the code means and what to do: its place in the reference',
    }),
  request_id: z.string().meta({ description: 'The same as the header `X-Request-Id`; quote it to support' }),
  errors: z.array(fieldError).meta({ description: 'Every field that is wrong' }).optional(),
  transaction_id: uuid
    .meta({ description: 'With `outcome_unknown`: the id that the transaction has if it was started' })
    .optional(),
  operations: operations.optional(),
  retryable: z.boolean().meta({
    description: 'Whether the same request may work later as it is: true for 429, 500 and 503',
  }),
});
