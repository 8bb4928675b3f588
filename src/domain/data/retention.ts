import { z } from 'zod';
import json from '../../../data/retention.json' with { type: 'json' };
import { checked, missing, oneOf, prose, readData, repeated, type Wrong } from './read-data.ts';

/** Each kind of data with a retention has a minimum in days, and a reason. */
const least = {
  notification_bodies: { days: 30, why: 'a channel may ask about a notification of last month' },
  callback_attempts: {
    days: 100,
    why: 'a callback can be sent again for 90 days and is tried for four more',
  },
  previews: { days: 1, why: 'who used or missed one reads that for a day' },
  stored_answers: { days: 1_095, why: 'a key answers for years with the same bytes' },
  payers: { days: 190, why: 'a payment can be refunded for 180 days' },
  payers_at_least: { days: 190, why: 'a payment can be refunded for 180 days' },
  batch_rows: { days: 30, why: 'who cancelled a batch reads which of its rows did not leave' },
  statement_files: { days: 400, why: 'an auditor compares the files of a year with its closed days' },
} as const;

export type Kept = keyof typeof least;
const names = Object.keys(least) as [Kept, ...Kept[]];

export const schema = z.strictObject({
  rule: prose,
  kept: checked(
    z.array(
      z.strictObject({
        name: oneOf('data with a retention', names),
        days: z.int().min(1).max(36_500),
        note: prose,
      }),
    ),
    function* (rows): Iterable<Wrong> {
      yield* repeated(rows, 'data', 'name');
      yield* missing(rows, 'retention of', { field: 'name', words: names });
      for (const [index, { name, days }] of rows.entries())
        if (days < least[name].days)
          yield {
            path: [index, 'days'],
            message: `must be at least ${least[name].days}: ${least[name].why}`,
          };
    },
  ),
});

const { kept } = readData('data/retention.json', schema, json);
export const keptDays = Object.fromEntries(kept.map(({ name, days }) => [name, days])) as Record<
  Kept,
  number
>;
