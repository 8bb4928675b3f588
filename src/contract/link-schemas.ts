import { z } from 'zod';
import { linkQuantities, linkStatuses } from '../domain/number.ts';
import { createdAt, expiresAt, howMuch, ok, pageOf, state, uuid } from './fields.ts';

const link = z
  .strictObject({
    id: uuid.meta({ description: 'Names the link for ever' }),
    url: z
      .string()
      .regex(/^https?:\/\/.+\/l\/[0-9a-z]{8}$/)
      .meta({ description: 'The short address, for an SMS, a chat or a wall' }),
    description: z.string().meta({ description: 'What is paid, as the payer reads it' }),
    amount: z.number().meta(howMuch).optional(),
    quantity: z.enum(linkQuantities).meta({
      description: '`once`: over after its payment; `many`: each payer gets a bill of his own',
    }),
    status: z.enum(linkStatuses).meta(state),
    expires_at: expiresAt.optional(),
    payments: z.int().min(0).meta({ description: 'How many payments it brought' }),
    paid: z.number().meta({ description: 'What was paid so far' }),
    created_at: createdAt,
  })
  .meta({ id: 'PaymentLink', description: 'The payment link' });
export const linkAnswer = z.strictObject({ ...ok, link });
export const linkList = pageOf(link);
