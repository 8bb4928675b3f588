import { z } from 'zod';
import { feeSchedule } from '../../contract/fee-schemas.ts';
import { feeServices } from '../../domain/fee-services.ts';
import * as field from './answer-fields.ts';
import { counted, listOf, orNone, written } from './answer-fields.ts';

const own = listOf(
  z.enum(feeServices),
  'The services for which this merchant has its own fees; others have the usual fees',
);
export const feesAnswer = z.strictObject({
  ...feeSchedule.shape,
  own,
  next: orNone(feeSchedule, 'The fees that follow, if they are known already; else null'),
  announced: z
    .strictObject({ ...feeSchedule.shape, own })
    .nullable()
    .meta({
      description:
        'Its own fees that begin later; fees that are proposed before that replace them. Null: none',
    }),
});

const charged = z.strictObject({
  description: field.lineText,
  lines: counted('The number of lines of the statement'),
  amount: field.amount,
});
/** Fees that we took are negative. */
export const feeStatementAnswer = z.strictObject({
  currency: field.currency,
  month: field.month,
  final: field.final,
  fees: listOf(charged, 'The fees, by the description of the lines'),
  total: written('The sum of all'),
});
