import { z } from 'zod';
import { type AccountFees, feesOf } from '../../accounts/fees.ts';
import { requireAccount } from '../../accounts/store.ts';
import type { JsonOf } from '../../contract/json-of.ts';
import { MONTH_PATTERN, monthRangeOf } from '../../domain/day.ts';
import { feeServices } from '../../domain/fee-services.ts';
import { feesAt, type OwnRows, tiersOf } from '../../domain/fees.ts';
import { CURRENCY, formatMoney } from '../../domain/money.ts';
import { readFeeStatement } from '../../ledger/statement.ts';
import { type Call, call } from './call.ts';
import { feeStatementAnswer, feesAnswer } from './fee-schemas.ts';

const monthInQuery = z
  .string('is required')
  .regex(new RegExp(MONTH_PATTERN), 'must be a month like 2026-11')
  .meta({ description: 'A month, in Dar es Salaam time', example: '2026-11' });

export const feeCalls = {
  getFees: call(
    {
      method: 'GET',
      paths: ['accounts/{id}/fees'],
      id: 'The id of the account',
      summary: 'The fees of a merchant now and next, and which of them are its own; in whole shillings',
      roles: ['finance', 'admin'],
      answer: feesAnswer,
    },
    async (_input, { deps, id }) => {
      const { id: accountId } = await requireAccount(deps.database, id);
      return present(await feesOf(deps.database, accountId));
    },
  ),
  getFeeStatement: call(
    {
      method: 'GET',
      paths: ['accounts/{id}/fees/statement'],
      id: 'The id of the account',
      summary: 'The fees that a merchant paid in one month, from the lines of its statement',
      roles: ['finance', 'admin'],
      query: { month: monthInQuery },
      answer: feeStatementAnswer,
    },
    async ({ month }, { deps, id, noteRead }) => {
      const { id: accountId } = await requireAccount(deps.database, id);
      noteRead(`account:${accountId}`);
      const range = { accountId, currency: CURRENCY, ...monthRangeOf(month) };
      const { fees, total, final } = await readFeeStatement(deps.database, range);
      const shown = fees.map(({ description, lines, amount }) => {
        return { description, lines, amount: formatMoney(amount) };
      });
      return { currency: CURRENCY, month, final, fees: shown, total: formatMoney(total) };
    },
  ),
} satisfies Record<string, Call>;

function present({ inForce, next, own, announced }: AccountFees): JsonOf<typeof feesAnswer> {
  const shown = (schedule: typeof inForce) => ({
    fees: tiersOf(schedule),
    version: schedule.version,
    effective_from: schedule.effectiveFrom,
  });
  return {
    ...shown(inForce),
    own: servicesIn(own),
    next: next ? shown(next) : null,
    announced: announced && {
      ...shown(feesAt(announced.effectiveFrom, announced)),
      own: servicesIn(announced.rows),
    },
  };
}

const servicesIn = (rows: OwnRows) => feeServices.filter((service) => rows[service]);
