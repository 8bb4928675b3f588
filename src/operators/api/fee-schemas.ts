import { z } from 'zod';
import { feeSchedule } from '../../contract/fee-schemas.ts';
import { feeServices } from '../../domain/fee-services.ts';

/** `own` lists the services for which the merchant has its own fees. */
export const feesAnswer = z.strictObject({
  ...feeSchedule.shape,
  own: z.array(z.enum(feeServices)),
  next: feeSchedule.nullable(),
  announced: z.strictObject({ ...feeSchedule.shape, own: z.array(z.enum(feeServices)) }).nullable(),
});

/** Fees taken are below zero. */
export const feeStatementAnswer = z.strictObject({
  currency: z.string(),
  month: z.string(),
  /** nothing that happens later changes it */
  final: z.boolean(),
  fees: z.array(z.strictObject({ description: z.string(), lines: z.number(), amount: z.string() })),
  total: z.string(),
});
