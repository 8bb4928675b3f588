import { z } from 'zod';
import { forEachService, servicesWithFee, tierMeanings, tiersMeaning } from '../domain/fee-services.ts';
import { ok, timestamp } from './fields.ts';

const tier = z
  .strictObject({
    from: z.number().meta({ description: tierMeanings.from }),
    to: z.number().nullable().meta({ description: tierMeanings.to }),
    fixed: z.number().meta({ description: tierMeanings.fixed }),
    basis_points: z.number().meta({ description: tierMeanings.basis_points }),
    min: z.number().meta({ description: tierMeanings.min }),
    max: z.number().nullable().meta({ description: tierMeanings.max }),
  })
  .meta({ id: 'FeeTier' });
const service = z
  .strictObject({ tiers: z.array(tier).meta({ description: tiersMeaning }) })
  .meta({ id: 'ServiceFees' });

/** `top_up`: payments of a number that tops up the merchant's own balance. */
const fees = z
  .strictObject(forEachService((name) => service.meta({ description: servicesWithFee[name].description })))
  .meta({
    id: 'Fees',
    description: 'What each kind of payment and payout costs, by `transaction_mode`',
  });

export const feeSchedule = z
  .strictObject({
    fees,
    version: z.string().meta({ example: '2025-01', description: 'Names these fees' }),
    effective_from: timestamp.meta({ description: 'Since when, or from when on, all of them hold' }),
  })
  .meta({ id: 'FeeSchedule' });

export const feeList = z.strictObject({
  ...ok,
  ...feeSchedule.shape,
  next: feeSchedule.meta({ description: 'The fees that follow, where they are known already' }).optional(),
});
