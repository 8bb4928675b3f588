import { rowOf } from '../../base/csv.ts';
import { toFixedDecimal } from '../../domain/money.ts';
import type { StatementLine } from '../../domain/statement.ts';

const COLUMNS = ['line', 'at', 'type', 'transaction_id', 'reference', 'description', 'amount', 'balance'];

/** A statement as RFC 4180, a piece per batch of lines: a header row, CRLF, amounts with two decimals and nothing else. */
export async function* toCsv(batches: AsyncIterable<StatementLine[]>): AsyncGenerator<string> {
  yield rowOf(COLUMNS);
  for await (const lines of batches) yield lines.map(cellsOf).map(rowOf).join('');
}

function cellsOf(line: StatementLine): string[] {
  return [
    String(line.line),
    line.at,
    line.type,
    line.transactionId ?? '',
    line.reference ?? '',
    line.description,
    toFixedDecimal(line.amount),
    toFixedDecimal(line.balance),
  ];
}
