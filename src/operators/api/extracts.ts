import { z } from 'zod';
import { reportFrom } from '../../domain/data/extracts.ts';
import { DAY_MS } from '../../domain/day.ts';
import { validationFailed } from '../../domain/errors.ts';
import { CURRENCY } from '../../domain/money.ts';
import { type LargeMovement, largeMovements, volumesIn } from '../../reconciliation/extracts.ts';
import { type Call, call } from './call.ts';
import { dayField, numberInQuery } from './fields.ts';

const DAYS_MAX = 31;
const MOVEMENTS_MAX = 200;

const direction = z.enum(['in', 'out']);
const largeMovement = z.strictObject({
  at: z.string(),
  transaction_id: z.uuid().nullable(),
  merchant: z.string().nullable(),
  kind: z.string(),
  channel: z.string(),
  direction,
  amount_minor: z.number(),
  receipt: z.string().nullable(),
  party: z.string().nullable(),
  full_name: z.string().nullable(),
  bic: z.string().nullable(),
});

/** The law asks for these sums and single movements. They are read once and never kept. */
export const extractCalls = {
  listVolumes: call(
    {
      method: 'GET',
      paths: ['extracts/volumes'],
      summary: 'Number and value of what moved, by month of Dar es Salaam, kind, channel and direction',
      roles: ['finance', 'admin'],
      query: { from: dayField, to: dayField },
      answer: z.strictObject({
        currency: z.string(),
        volumes: z.array(
          z.strictObject({
            month: z.string(),
            kind: z.string(),
            channel: z.string(),
            direction,
            number: z.number(),
            value_minor: z.number(),
          }),
        ),
      }),
    },
    async (range, { deps }) => {
      const volumes = await volumesIn(deps.longDatabase, required(range));
      return {
        currency: CURRENCY,
        volumes: volumes.map(({ value, ...volume }) => ({ ...volume, value_minor: value })),
      };
    },
  ),
  listLargeMovements: call(
    {
      method: 'GET',
      paths: ['extracts/large'],
      summary: 'Single movements from the amount of data/extracts.json on, with whom they were, oldest first',
      roles: ['finance', 'admin'],
      query: {
        from: dayField,
        to: dayField,
        /** continues from the `next` of the part before */
        after: numberInQuery(0, 999_999_999_999_999, 0),
      },
      answer: z.strictObject({
        currency: z.string(),
        report_from_minor: z.number(),
        movements: z.array(largeMovement),
        /** send it as `after`; null: that was all */
        next: z.number().nullable(),
      }),
    },
    async ({ after, ...range }, { deps, noteRead }) => {
      const page = { after, count: MOVEMENTS_MAX, least: reportFrom };
      const found = await largeMovements(deps.longDatabase, { ...required(range), ...page });
      noteRead(...found.flatMap(({ transactionId }) => transactionId ?? []));
      const last = found.length === MOVEMENTS_MAX ? found.at(-1)?.entry : undefined;
      return {
        currency: CURRENCY,
        report_from_minor: reportFrom,
        movements: found.map(present),
        next: last ?? null,
      };
    },
  ),
} satisfies Record<string, Call>;

function present({ entry: _, transactionId, amount, fullName, ...movement }: LargeMovement) {
  return { ...movement, transaction_id: transactionId, amount_minor: amount, full_name: fullName };
}

function required(range: { from: string; to: string }) {
  const days = (Date.parse(range.to) - Date.parse(range.from)) / DAY_MS;
  if (days > 0 && days <= DAYS_MAX) return range;
  throw validationFailed([{ field: 'to', message: `must be after from, by at most ${DAYS_MAX} days` }]);
}
