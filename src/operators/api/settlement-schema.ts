import { z } from 'zod';
import { weekdays } from '../../domain/day.ts';

/** Where a merchant's own money goes; `rule` is null where what was set is not proven. */
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
