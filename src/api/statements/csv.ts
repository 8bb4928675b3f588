import { rowOf } from '../../base/csv.ts';
import { toFixedDecimal } from '../../domain/money.ts';
import type { StatementLine } from '../../domain/statement.ts';
import { momentCells, type Timezone } from '../kit/csv-reply.ts';

const COLUMNS = [
  'line',
  'at',
  'day',
  'type',
  'transaction_id',
  'reference',
  'description',
  'amount',
  'balance',
];

/** A statement as RFC 4180, a piece per batch of lines: a header row, CRLF, amounts with two decimals and nothing else. */
export async function* toCsv(
  batches: AsyncIterable<StatementLine[]>,
  timezone: Timezone,
): AsyncGenerator<string> {
  yield rowOf(COLUMNS);
  for await (const lines of batches) yield lines.map((line) => rowOf(cellsOf(line, timezone))).join('');
}

function cellsOf(line: StatementLine, timezone: Timezone): string[] {
  return [
    String(line.line),
    ...momentCells(line.at, timezone),
    line.type,
    line.transactionId ?? '',
    line.reference ?? '',
    line.description,
    toFixedDecimal(line.amount),
    toFixedDecimal(line.balance),
  ];
}
