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
  figureOfToday: figureCall('today', 'Collected and paid out today, by hour, beside the same weekday before'),
  figureOfNetworks: figureCall(
    'networks',
    'Which share of pushes succeeded, by quarter of an hour, and why others failed',
  ),
  figureOfFloat: figureCall(
    'float',
    'What networks and banks had for us at the end of seven days, and will have as the last 24 hours went',
    ['viewer', 'support', 'finance'],
  ),
  figureOfSuspense: figureCall('suspense', 'Money in suspense by its age: what we owe, and what we miss', [
    'support',
    'finance',
  ]),
  figureOfMerchant: call(
    {
      method: 'GET',
      paths: ['figures/merchants/{id}'],
      id: 'of the account',
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
