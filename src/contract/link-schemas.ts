import { z } from 'zod';
import { linkQuantities, linkStatuses } from '../domain/number.ts';
import { createdAt, expiresAt, howMuch, ok, pageOf, state, uuid } from './fields.ts';

const link = z
  .strictObject({
    id: uuid.meta({ description: 'The id of the link' }),
    url: z
      .string()
      .regex(/^https?:\/\/.+\/l\/[0-9a-z]{8}$/)
      .meta({ description: 'The short address, for an SMS, a chat or a wall' }),
    description: z.string().meta({ description: 'The description that the payer reads' }),
    amount: z.number().meta(howMuch).optional(),
    quantity: z.enum(linkQuantities).meta({
      description: '`once`: the link ends with its payment; `many`: each payer gets a new bill',
    }),
    status: z.enum(linkStatuses).meta(state),
    expires_at: expiresAt.optional(),
    payments: z.int().min(0).meta({ description: 'The number of payments made with it' }),
    paid: z.number().meta({ description: 'The amount paid so far' }),
    created_at: createdAt,
  })
  .meta({ id: 'PaymentLink', description: 'The payment link' });
export const linkAnswer = z.strictObject({ ...ok, link });
export const linkList = pageOf(link);
