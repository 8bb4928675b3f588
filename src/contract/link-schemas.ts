import { z } from 'zod';
import { linkQuantities, linkStatuses } from '../domain/number.ts';
import { ok, pagination, timestamp, uuid } from './answer-schemas.ts';

const link = z
  .strictObject({
    id: uuid,
    url: z.string().regex(/^https?:\/\/.+\/l\/[0-9a-z]{8}$/),
    description: z.string(),
    amount: z.number().optional(),
    quantity: z.enum(linkQuantities),
    status: z.enum(linkStatuses),
    expires_at: timestamp.optional(),
    payments: z.int().min(0),
    paid: z.number(),
    created_at: timestamp,
  })
  .meta({ id: 'PaymentLink' });
export const linkAnswer = z.strictObject({ ...ok, link });
export const linkList = z.strictObject({ ...ok, data: z.array(link), pagination });
