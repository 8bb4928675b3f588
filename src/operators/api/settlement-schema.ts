import { z } from 'zod';
import { weekdays } from '../../domain/day.ts';

/** `rule` is null if its stored proof does not hold. */
export const settlement = z.strictObject({
  set_by: z.string(),
  rule: z
    .strictObject({
      own_account: z.string(),
      days: z.array(z.enum(weekdays)),
      keep: z.string(),
      smallest: z.string(),
      cap: z.string(),
      pays_from: z.string(),
      waits: z.boolean(),
    })
    .nullable(),
});
