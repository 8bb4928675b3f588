import { z } from 'zod';
import { ok } from './answer-schemas.ts';

/** `unavailable`: it is not offered here. Amounts are whole shillings, inclusive. */
const networkService = z.strictObject({
  status: z.enum(['up', 'degraded', 'down', 'unavailable']),
  min: z.number(),
  max: z.number(),
});

export const networkList = z.strictObject({
  ...ok,
  networks: z.array(
    z.strictObject({
      id: z.string().meta({ example: 'm-pesa' }),
      name: z.string().meta({ example: 'M-PESA' }),
      prefixes: z.array(z.string()),
      payments: networkService,
      payouts: networkService,
    }),
  ),
});
