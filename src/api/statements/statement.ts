import { statementAnswer } from '../../contract/statement-schemas.ts';
import { DAY_MS, startOfDay } from '../../domain/day.ts';
import { say } from '../../domain/messages.ts';
import { CURRENCY } from '../../domain/money.ts';
import { readStatement, streamLines } from '../../ledger/statement.ts';
import type { Page } from '../../platform/db/listing.ts';
import { acceptFields, type Problem } from '../../platform/http/fields.ts';
import { receiptUrl } from '../../transactions/odd-money/receipt-page.ts';
import { type ApiRequest, callerOf } from '../kit/call.ts';
import { csvReply, formatField, type Timezone, timezoneField, wantsCsv } from '../kit/csv-reply.ts';
import { call } from '../kit/gateway-call.ts';
import { pageIn, pageQuery, queryFields } from '../kit/list-query.ts';
import { dayOrMoment, moment, toTimestamp } from '../kit/moments.ts';
import { toCsv } from './csv.ts';
import { presentStatement, type ReceiptOf } from './present.ts';

const DAYS_MAX = 92;
/** A slow reader of the CSV keeps this many lines in memory: some hundred kilobytes. */
const BATCH_LINES = 1_000;

const query = {
  from: moment.meta({
    description: `Inclusive. ${dayOrMoment.description}; without \`from\` and \`to\`: today`,
    example: '2026-11-01',
  }),
  to: moment.meta({
    description: `Exclusive, at most ${DAYS_MAX} days after \`from\`; the end of today when left out`,
    example: '2026-12-01',
  }),
  ...pageQuery,
  format: formatField,
  timezone: timezoneField,
};

export const getStatement = call(
  {
    method: 'GET',
    paths: ['statements'],
    summary: 'Every change of the balance, oldest first, as pages of JSON or all of it as CSV',
    purpose:
      'Reconcile your books: every change of the available balance in order, ' +
      'each with the balance after it. A range whose answer says `final: true` never changes again.',
    scopes: ['payments:read', 'payouts:read'],
    everyScope: true,
    query,
    answer: statementAnswer,
    csv: true,
  },
  async (request, { database, now }) => {
    const { page, isCsv, timezone, ...days } = readStatementQuery(request, now());
    const range = { accountId: callerOf(request).accountId, currency: CURRENCY, ...days };
    const receiptOf: ReceiptOf = ({ transactionId: id, part }) =>
      id === null || part === null ? undefined : receiptUrl(database, { id, part });
    if (isCsv) {
      // Reads before the first byte is sent, because after it an error can only close the connection.
      const bounds = await readStatement(database, range, { offset: 0, count: 0 });
      return csvReply(
        'statement',
        toCsv(streamLines(database, range, bounds, BATCH_LINES), { timezone, receiptOf }),
      );
    }
    const offset = (page.page - 1) * page.perPage;
    const statement = await readStatement(database, range, { offset, count: page.perPage });
    return presentStatement(statement, { ...range, page, receiptOf });
  },
);

type StatementQuery = { from: string; to: string; page: Page; isCsv: boolean; timezone: Timezone };

function readStatementQuery(request: ApiRequest, now: Date): StatementQuery {
  const read = queryFields(query, request.query);
  const { values: given, problems } = read;
  const today = startOfDay(now);
  const from = given.from ?? toTimestamp(Date.parse(today));
  const to = given.to ?? toTimestamp(Date.parse(today) + DAY_MS);
  if (!problems.some(({ field }) => field === 'from' || field === 'to'))
    problems.push(...problemsOf({ from, to }, given.from === undefined && given.to !== undefined));
  const values = acceptFields(read);
  return {
    from,
    to,
    page: pageIn(values),
    isCsv: wantsCsv(request, values.format),
    timezone: values.timezone,
  };
}

function problemsOf({ from, to }: { from: string; to: string }, onlyTo: boolean): Problem[] {
  if (onlyTo) return [{ field: 'from', message: say('is_needed_with_to') }];
  const length = Date.parse(to) - Date.parse(from);
  if (length <= 0) return [{ field: 'to', message: say('must_be_after_from_in_statement') }];
  if (length > DAYS_MAX * DAY_MS)
    return [{ field: 'to', message: say('must_be_days_after_from', { days: DAYS_MAX }) }];
  return [];
}
