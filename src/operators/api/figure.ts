import { z } from 'zod';

const described = (description: string) => ({ description });
const unit = z
  .enum(['minor', 'percent', 'count'])
  .meta(described('Minor units (1 TZS = 100), percent, or how many'));

/** Holds a picture as numbers: each series has a value for each of `at`. */
export const figure = z.strictObject({
  unit,
  at: z.array(z.string()).meta(described('Days, moments, hours or ages, from left to right')),
  series: z
    .array(
      z.strictObject({
        panel: z.string().meta(described('The part of the picture that has it')),
        name: z.string().meta(described('The name of the line or the bars')),
        values: z.array(z.number().nullable()).meta(described('One for each of `at`; null: there is none')),
      }),
    )
    .meta(described('The lines and bars')),
  numbers: z
    .array(
      z.strictObject({
        name: z.string().meta(described('What is counted')),
        value: z.number().nullable().meta(described('Its value; null: nothing was there to count')),
        unit,
      }),
    )
    .meta(described('Single numbers that belong to it')),
});

export type Figure = z.infer<typeof figure>;
