import { z } from 'zod';
import { rowOf } from '../../base/csv.ts';
import { feeStatementAnswer } from '../../contract/statement-schemas.ts';
import { clockTimeOf, MONTH_PATTERN, monthRangeOf } from '../../domain/day.ts';
import { say } from '../../domain/messages.ts';
import { CURRENCY, formatMoney, type Minor, minor, toFixedDecimal } from '../../domain/money.ts';
import { type FeeTotal, readFeeStatement } from '../../ledger/statement.ts';
import { wrong } from '../../platform/http/fields.ts';
import { callerOf, done } from '../kit/call.ts';
import { csvReply, formatField, wantsCsv } from '../kit/csv-reply.ts';
import { call } from '../kit/gateway-call.ts';
import { readQuery } from '../kit/list-query.ts';
import { toTimestamp } from '../kit/moments.ts';

const query = {
  month: z
    .string()
    .refine((text) => new RegExp(MONTH_PATTERN).test(text), wrong(say('must_be_month')))
    .meta({
      description: 'A month (Dar es Salaam time); default: this month',
      pattern: MONTH_PATTERN,
      example: '2026-11',
    })
    .optional(),
  format: formatField,
};

export const getFeeStatement = call(
  {
    method: 'GET',
    paths: ['statements/fees'],
    summary: 'Your fees of a month, added up from the lines of your statement',
    purpose:
      'Book our fees: the sum of each kind of fee in a month, from the lines of the ' +
      'statement. A month whose answer says `final: true` never changes again.',
    scopes: ['payments:read', 'payouts:read'],
    everyScope: true,
    query,
    answer: feeStatementAnswer,
    csv: true,
  },
  async (request, { database, now }) => {
    const values = readQuery(query, request.query);
    const month = values.month ?? clockTimeOf(now().getTime()).slice(0, 7);
    const range = { accountId: callerOf(request).accountId, currency: CURRENCY, ...monthRangeOf(month) };
    const { fees, total, final } = await readFeeStatement(database, range);
    if (wantsCsv(request, values.format)) return csvReply(`fees-${month}`, rowsOf(fees, total).map(rowOf));
    return {
      ...done(say('fee_statement_found')),
      currency: CURRENCY,
      month,
      final,
      from: toTimestamp(Date.parse(range.from)),
      to: toTimestamp(Date.parse(range.to)),
      fees: fees.map(({ mode, description, lines, amount }) => {
        return { transaction_mode: mode ?? undefined, description, lines, amount: formatMoney(amount) };
      }),
      total: formatMoney(total),
    };
  },
);

function rowsOf(fees: readonly FeeTotal[], total: Minor): string[][] {
  const lines = fees.reduce((sum, one) => sum + one.lines, 0);
  return [
    ['transaction_mode', 'description', 'lines', 'amount'],
    ...fees.map(({ mode, description, ...one }) => [
      mode ?? '',
      description,
      String(one.lines),
      toFixedDecimal(one.amount),
    ]),
    ['', 'Total', String(lines), toFixedDecimal(minor(total))],
  ];
}
