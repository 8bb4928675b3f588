import { z } from 'zod';
import { forEachService, servicesWithFee } from '../domain/fee-services.ts';
import { ok, timestamp } from './fields.ts';

/** Amounts are whole shillings. */
const tier = z
  .strictObject({
    from: z.number().meta({ description: 'The smallest amount of the tier, in whole shillings' }),
    to: z.number().nullable().meta({
      description: 'The largest amount of the tier, in whole shillings; null: it has no end',
    }),
    fixed: z.number().meta({ description: 'In whole shillings, whatever the amount' }),
    basis_points: z.number().meta({
      description:
        'What is added to it: hundredths of a percent of the amount, rounded to the whole shilling, half of one upwards',
    }),
    min: z.number().meta({
      description: 'The fee is no less, in whole shillings; no fee of a payment exceeds its amount',
    }),
    max: z
      .number()
      .nullable()
      .meta({ description: 'The fee is no more, in whole shillings; null: it has no bound' }),
  })
  .meta({ id: 'FeeTier' });
const service = z
  .strictObject({ tiers: z.array(tier).meta({ description: 'Every amount has one of them' }) })
  .meta({ id: 'ServiceFees' });

/** `top_up` is the fee of a number that tops up the merchant's own balance. */
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
