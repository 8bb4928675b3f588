import { z } from 'zod';
import json from '../../../data/failure-codes.json' with { type: 'json' };
import { failureCodes } from '../failure-code.ts';
import { checked, missing, oneOf, prose, readData, repeated } from './read-data.ts';

export const outcomes = ['success', 'pending', 'final', 'ambiguous', 'duplicate', 'setup'] as const;

const failureCode = oneOf('failure code', failureCodes);

const codes = checked(
  z.array(
    z.strictObject({
      code: failureCode,
      reason: z.string().min(1),
      on: z.array(oneOf('type of transaction', ['payment', 'payout'])).min(1, { error: 'must name a type' }),
    }),
  ),
  function* (rows) {
    yield* repeated(rows, 'code', 'code');
    yield* missing(rows, 'code', { field: 'code', words: failureCodes });
  },
);

export const schema = z.strictObject({
  outcomes: z.strictObject(
    Object.fromEntries(outcomes.map((word) => [word, prose])) as Record<Outcome, typeof prose>,
  ),
  deduplicates: prose,
  fields: prose,
  codes,
});

export type Outcome = (typeof outcomes)[number];

export const failureData = readData('data/failure-codes.json', schema, json);
