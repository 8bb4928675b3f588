import { z } from 'zod';
import { feeSchedule } from '../../contract/fee-schemas.ts';
import { feeServices } from '../../domain/fee-services.ts';
import * as field from './answer-fields.ts';
import { counted, listOf, orNone, written } from './answer-fields.ts';

const own = listOf(
  z.enum(feeServices),
  'Which services have fees of its own; the others have the usual ones',
);
export const feesAnswer = z.strictObject({
  ...feeSchedule.shape,
  own,
  next: orNone(feeSchedule, 'The fees that follow, where they are known already; else null'),
  announced: z
    .strictObject({ ...feeSchedule.shape, own })
    .nullable()
    .meta({
      description:
        'Fees of its own that begin later; what is proposed before replaces them. Null: there are none',
    }),
});

const charged = z.strictObject({
  description: field.lineText,
  lines: counted('How many lines of the statement'),
  amount: field.amount,
});
/** Fees that we took are negative. */
export const feeStatementAnswer = z.strictObject({
  currency: field.currency,
  month: field.month,
  final: field.final,
  fees: listOf(charged, 'What was charged, by the words of the lines'),
  total: written('The sum of all'),
});
