import { z } from 'zod';
import { listAccounts } from '../../accounts/store.ts';
import { DAY_MS, startOfDay } from '../../domain/day.ts';
import { validationFailed } from '../../domain/errors.ts';
import { isUuid } from '../../domain/ids.ts';
import { modes } from '../../domain/kinds.ts';
import { CURRENCY, formatMoney, minor, minorTyped } from '../../domain/money.ts';
import { channelIds } from '../../domain/network.ts';
import { statuses, type Transaction } from '../../domain/transaction.ts';
import type { Database } from '../../platform/db/pool.ts';
import {
  directionOf,
  type Place,
  readAll,
  type Sum,
  sumAll,
} from '../../transactions/rows/all-transactions.ts';
import { mayAct, READS_PEOPLE } from '../people/roles.ts';
import { partyWords } from '../search/words.ts';
import * as field from './answer-fields.ts';
import { among, counted, listOf, written } from './answer-fields.ts';
import { type Call, call } from './call.ts';
import { dayField, only, perPage, text } from './fields.ts';
import { presented } from './presented.ts';

const DAYS_MAX = 31;
const PART = 100;
const directions = ['in', 'out'] as const;

const amountInQuery = z
  .string()
  .refine((typed) => minorTyped(typed) !== null, `must be an amount in ${CURRENCY}, like 50000 or 50,000.50`)
  .transform((typed) => minorTyped(typed) ?? minor(0))
  .meta({ description: `In ${CURRENCY}, like \`25000\` or \`25,000.50\`` })
  .optional();

const PLACE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)_([0-9a-f-]{36})$/;
const placeField = z
  .string()
  .regex(PLACE, 'must be the `next` of an answer')
  .transform((given): Place => {
    const [, createdAt = '', id = ''] = PLACE.exec(given) ?? [];
    return { createdAt, id };
  })
  .meta({ description: 'The `next` of the previous answer' })
  .optional();

const payment = z.strictObject({
  id: field.uuidId,
  created_at: field.createdAt,
  direction: among(directions, '`in`: the network moves the money to us; `out`: from us'),
  kind: among(modes, 'The kind of transaction'),
  status: field.status,
  failure_code: field.failureCode,
  amount: field.amount,
  fee: field.fee,
  currency: field.currency,
  channel: field.channel,
  account_id: field.accountId.nullable(),
  merchant: field.merchant,
  party: written(
    'Number or account, and the name if it is known; null: the role may not see customers',
  ).nullable(),
  reference: field.reference,
  channel_reference: field.channelReference,
});

const sum = z.strictObject({
  direction: among(directions, 'To us, or from us'),
  status: field.status,
  count: counted('The number of transactions'),
  amount: written('The sum of their amounts, without fees'),
  currency: field.currency,
});

const paymentList = z.strictObject({
  data: listOf(payment, 'The items of this page'),
  next: written('Send it as `after` to go on; null: this is the end').nullable(),
  totals: z
    .array(sum)
    .nullable()
    .meta({ description: 'The totals of all matches, not only of this page; null: counting takes over 2 s' }),
  more_than: counted('Without totals: the number of matches is at least this').nullable(),
});

export const paymentCalls = {
  listPayments: call(
    {
      method: 'GET',
      paths: ['payments'],
      summary:
        'Payments, bills and payouts of all merchants in at most 31 days (default: today), ' +
        'newest first, with totals',
      roles: ['support', 'finance', 'admin'],
      query: {
        per_page: perPage(1_000, PART),
        after: placeField,
        from: dayField.optional(),
        to: dayField.optional(),
        network: only(channelIds, 'Only this network'),
        state: only(statuses),
        kind: only(modes, 'Only this kind'),
        direction: only(directions, 'To us, or from us'),
        merchant: text(200, 'The id of the merchant, or letters of its name').optional(),
        amount: amountInQuery,
        amount_from: amountInQuery,
        amount_to: amountInQuery,
      },
      answer: paymentList,
    },
    async ({ per_page, after = null, ...asked }, { deps, caller, noteRead }) => {
      const { from, to } = rangeOf(asked);
      const given = Object.entries({ ...asked, from, to }).filter(([, value]) => value !== undefined);
      // No filter has a person's number: the audit log keeps filters for ever.
      noteRead(
        'payments?' +
          `${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`,
      );
      const { network, state, kind, direction, merchant, amount } = asked;
      const chosen = (kind === undefined ? modes : [kind]).filter(
        (mode) => direction === undefined || directionOf(mode) === direction,
      );
      const filter = {
        from,
        to,
        channel: network,
        status: state,
        modes: chosen.length === modes.length ? undefined : chosen,
        accountIds: merchant === undefined ? undefined : await accountsNamed(deps.database, merchant),
        amountMin: amount ?? asked.amount_from,
        amountMax: amount ?? asked.amount_to,
      };
      const found = await readAll(deps.longDatabase, { filter, after, count: per_page + 1 });
      const items = found.slice(0, per_page);
      const last = found.length > per_page ? items.at(-1)?.transaction : undefined;
      const { sums, moreThan } =
        after === null ? await sumAll(deps.longDatabase, filter) : { sums: null, moreThan: null };
      const showsPeople = mayAct(caller, READS_PEOPLE);
      return {
        data: items.map(({ transaction, merchant }) =>
          presentPayment(transaction, { merchant, showsPeople }),
        ),
        next: last === undefined ? null : `${last.createdAt}_${last.id}`,
        totals: sums?.map(presentSum) ?? null,
        more_than: moreThan,
      };
    },
  ),
} satisfies Record<string, Call>;

/** If only `from` or only `to` is given, the range is one day. Throws if it is longer than 31 days. */
function rangeOf({ from, to }: { from?: string | undefined; to?: string | undefined }) {
  const dayFrom = (at: string, days: number) => new Date(Date.parse(at) + days * DAY_MS).toISOString();
  const first = from ?? (to === undefined ? startOfDay(new Date()) : dayFrom(to, -1));
  const end = to ?? dayFrom(first, 1);
  if (end <= first) throw validationFailed([{ field: 'to', message: 'must be after from' }]);
  if (end > dayFrom(first, DAYS_MAX))
    throw validationFailed([{ field: 'to', message: `must be after from, by at most ${DAYS_MAX} days` }]);
  return { from: first, to: end };
}

async function accountsNamed(database: Database, name: string): Promise<string[]> {
  if (isUuid(name)) return [name];
  const { items, total } = await listAccounts(database, { name, page: 1, perPage: PART });
  const message = total === 0 ? 'is the name of no merchant' : `fits more than ${PART} merchants`;
  if (total === 0 || total > PART) throw validationFailed([{ field: 'merchant', message }]);
  return items.map(({ id }) => id);
}

const presentPayment = (one: Transaction, more: { merchant: string | null; showsPeople: boolean }) =>
  presented(payment, {
    ...one,
    merchant: more.merchant,
    direction: directionOf(one.mode),
    kind: one.mode,
    amount: formatMoney(one.amount),
    fee: formatMoney(one.fee),
    party: more.showsPeople ? partyWords(one) : null,
  });

const presentSum = ({ amount, ...one }: Sum) =>
  presented(sum, { ...one, amount: formatMoney(minor(amount)), currency: CURRENCY });
