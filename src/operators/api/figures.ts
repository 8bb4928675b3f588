import { z } from 'zod';
import { requireAccount } from '../../accounts/store.ts';
import { formatMoney, minor } from '../../domain/money.ts';
import { type Role, roles } from '../people/roles.ts';
import * as field from './answer-fields.ts';
import { listOf } from './answer-fields.ts';
import { type Call, call } from './call.ts';
import { figure } from './figure.ts';
import type { FigureReads } from './figure-reads.ts';

/** Figures are at most one minute old and name no customer. */
const figureCall = (
  name: Exclude<keyof FigureReads, 'merchant'>,
  summary: string,
  readers: readonly Role[] = roles,
) =>
  call(
    { method: 'GET', paths: [`figures/${name}`], summary, roles: readers, answer: figure },
    (_, { deps }) => deps.figures[name](),
  );

const last = z.strictObject({
  id: field.uuidId,
  at: field.at,
  mode: field.mode,
  status: field.status,
  amount: field.amount,
  currency: field.currency,
});

export const figureCalls = {
  figureOfToday: figureCall('today', 'Collected and paid out today, by hour, and the same day last week'),
  figureOfNetworks: figureCall(
    'networks',
    'The share of pushes that succeeded, by quarter of an hour, and why the others failed',
  ),
  figureOfFloat: figureCall(
    'float',
    'Our balance at networks and banks on seven days, and a forecast at the rate of the last 24 hours',
    ['viewer', 'support', 'finance'],
  ),
  figureOfSuspense: figureCall('suspense', 'Money in suspense by age: owed and missing', [
    'support',
    'finance',
  ]),
  figureOfMerchant: call(
    {
      method: 'GET',
      paths: ['figures/merchants/{id}'],
      id: 'The id of the account',
      summary:
        "A merchant's balance at the end of 30 days, how its pushes ended, and its last ten transactions",
      roles: ['support', 'finance', 'admin'],
      answer: z.strictObject({
        ...figure.shape,
        last: listOf(last, 'Its newest transactions, newest first'),
      }),
    },
    async (_input, { deps, id }) => {
      const { id: account } = await requireAccount(deps.database, id);
      const { figure, last } = await deps.figures.merchant(account);
      return { ...figure, last: last.map((one) => ({ ...one, amount: formatMoney(minor(one.amount)) })) };
    },
  ),
} satisfies Record<string, Call>;
