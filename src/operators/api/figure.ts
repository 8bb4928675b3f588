import { z } from 'zod';
import { among, counted, listOf, written } from './answer-fields.ts';

const unit = among(['minor', 'percent', 'count'], 'Minor units (1 TZS = 100), percent, or a number');

const series = z.strictObject({
  panel: written('The panel of the picture that shows it'),
  name: written('The name of the line or the bars'),
  values: listOf(z.number().nullable(), 'One value for each entry of `at`; null: no value'),
});
const single = z.strictObject({
  name: written('The name of the number'),
  value: counted('The value; null: there was nothing to count').nullable(),
  unit,
});

export const figure = z.strictObject({
  unit,
  at: listOf(z.string(), 'Days, moments, hours or ages, from left to right'),
  series: listOf(series, 'The lines and bars'),
  numbers: listOf(single, 'Single numbers of the picture'),
});

export type Figure = z.infer<typeof figure>;
