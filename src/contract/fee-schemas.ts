import { z } from 'zod';
import { forEachService } from '../domain/fee-services.ts';
import { ok, timestamp } from './answer-schemas.ts';

/** Amounts are whole shillings. */
const tier = z
  .strictObject({
    from: z.number(),
    to: z.number().nullable(),
    fixed: z.number(),
    basis_points: z.number(),
    min: z.number(),
    max: z.number().nullable(),
  })
  .meta({ id: 'FeeTier' });
const service = z.strictObject({ tiers: z.array(tier) }).meta({ id: 'ServiceFees' });

/** `top_up` is the fee of a number that tops up the merchant's own balance. */
const fees = z.strictObject(forEachService(() => service)).meta({ id: 'Fees' });

export const feeSchedule = z
  .strictObject({ fees, version: z.string().meta({ example: '2025-01' }), effective_from: timestamp })
  .meta({ id: 'FeeSchedule' });

export const feeList = z.strictObject({ ...ok, ...feeSchedule.shape, next: feeSchedule.optional() });
