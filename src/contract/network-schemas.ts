import { z } from 'zod';
import { ok } from './fields.ts';

/** `min` and `max` are inclusive. */
const networkService = z
  .strictObject({
    status: z.enum(['up', 'degraded', 'down', 'unavailable']).meta({
      description:
        '`up`, `degraded` (some requests are not answered), `down` (pushes are refused, ' +
        'payouts wait) or `unavailable` (not offered)',
    }),
    min: z.number().meta({ description: 'The smallest amount, in whole shillings' }),
    max: z.number().meta({ description: 'The largest amount, in whole shillings' }),
  })
  .meta({ id: 'NetworkService' });
const network = z
  .strictObject({
    id: z.string().meta({ example: 'm-pesa', description: 'The name under payouts' }),
    name: z.string().meta({ example: 'M-PESA', description: 'The name under payments' }),
    prefixes: z.array(z.string()).meta({
      description:
        'Prefixes of the numbers that it gave out; a number may have moved to another network since',
    }),
    payments: networkService.meta({ description: 'USSD pushes over it' }),
    payouts: networkService.meta({ description: 'Payouts over it' }),
  })
  .meta({ id: 'Network' });

export const networkList = z.strictObject({
  ...ok,
  networks: z.array(network).meta({ description: 'Every network that numbers belong to' }),
});
