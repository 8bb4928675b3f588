import { z } from 'zod';
import { among, counted, listOf, written } from './answer-fields.ts';

const unit = among(['minor', 'percent', 'count'], 'Minor units (1 TZS = 100), percent, or how many');

const series = z.strictObject({
  panel: written('The part of the picture that has it'),
  name: written('The name of the line or the bars'),
  values: listOf(z.number().nullable(), 'One for each of `at`; null: there is none'),
});
const single = z.strictObject({
  name: written('What is counted'),
  value: counted('Its value; null: nothing was there to count').nullable(),
  unit,
});

/** Each series has one value for each entry of `at`. */
export const figure = z.strictObject({
  unit,
  at: listOf(z.string(), 'Days, moments, hours or ages, from left to right'),
  series: listOf(series, 'The lines and bars'),
  numbers: listOf(single, 'Single numbers that belong to it'),
});

export type Figure = z.infer<typeof figure>;
