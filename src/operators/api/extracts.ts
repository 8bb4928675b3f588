import { z } from 'zod';
import { reportFrom } from '../../domain/data/extracts.ts';
import { DAY_MS } from '../../domain/day.ts';
import { validationFailed } from '../../domain/errors.ts';
import { CURRENCY } from '../../domain/money.ts';
import { type LargeMovement, largeMovements, volumesIn } from '../../reconciliation/extracts.ts';
import * as field from './answer-fields.ts';
import { among, counted, listOf, written } from './answer-fields.ts';
import { type Call, call } from './call.ts';
import { dayField, numberInQuery } from './fields.ts';

const DAYS_MAX = 31;
const MOVEMENTS_MAX = 200;

const direction = among(['in', 'out'], '`in`: the network or bank received it; `out`: it paid it');
const kind = written('The mode of the transaction, or the kind of another movement, like `suspense`');
const volume = z.strictObject({
  month: field.month,
  kind,
  channel: field.channel,
  direction,
  number: field.count,
  value_minor: counted('Their sum, in minor units (1 TZS = 100)'),
});
const largeMovement = z.strictObject({
  at: field.at,
  transaction_id: field.transactionId.nullable(),
  merchant: field.merchant,
  kind,
  channel: field.channel,
  direction,
  amount_minor: counted('The amount in minor units (1 TZS = 100)'),
  receipt: field.receipt.nullable(),
  party: written('The phone number or bank account of the payer or payee; null: unknown').nullable(),
  full_name: written('The name of the payer or payee; null: unknown').nullable(),
  bic: written('The bank of the account').nullable(),
});

const rangeQuery = { from: dayField, to: dayField };

/** The law demands these sums and movements. They are never stored. */
export const extractCalls = {
  listVolumes: call(
    {
      method: 'GET',
      paths: ['extracts/volumes'],
      summary: 'Number and value of movements, by month (Dar es Salaam time), kind, channel and direction',
      roles: ['finance', 'admin'],
      query: rangeQuery,
      answer: z.strictObject({
        currency: field.currency,
        volumes: listOf(volume, 'The sums'),
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
      summary: 'Single movements from the amount in data/extracts.json on, with payer or payee, oldest first',
      roles: ['finance', 'admin'],
      query: {
        ...rangeQuery,
        after: numberInQuery(0, 999_999_999_999_999, 0, 'The `next` of the previous answer'),
      },
      answer: z.strictObject({
        currency: field.currency,
        report_from_minor: counted('The smallest amount that is listed, in minor units'),
        movements: listOf(largeMovement, 'The movements, in the order of the ledger'),
        next: counted('Send it as `after` to go on; null: this is the end').nullable(),
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
