import { rowOf } from '../../base/csv.ts';
import { toFixedDecimal } from '../../domain/money.ts';
import type { StatementLine } from '../../domain/statement.ts';
import { momentCells, type Timezone } from '../kit/csv-reply.ts';
import type { ReceiptOf } from './present.ts';

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
  'receipt_url',
];

type Written = { timezone: Timezone; receiptOf: ReceiptOf };

/** Writes RFC 4180 with CRLF and a header row, one chunk per batch of lines. Amounts have two decimals. */
export async function* toCsv(
  batches: AsyncIterable<StatementLine[]>,
  written: Written,
): AsyncGenerator<string> {
  yield rowOf(COLUMNS);
  for await (const lines of batches) yield lines.map((line) => rowOf(cellsOf(line, written))).join('');
}

function cellsOf(line: StatementLine, { timezone, receiptOf }: Written): string[] {
  return [
    String(line.line),
    ...momentCells(line.at, timezone),
    line.type,
    line.transactionId ?? '',
    line.reference ?? '',
    line.description,
    toFixedDecimal(line.amount),
    toFixedDecimal(line.balance),
    receiptOf(line) ?? '',
  ];
}
