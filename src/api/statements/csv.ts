import { rowOf } from '../../base/csv.ts';
import { statementLine } from '../../contract/statement-schemas.ts';
import { toFixedDecimal } from '../../domain/money.ts';
import type { StatementLine } from '../../domain/statement.ts';
import { momentCells, type Timezone } from '../kit/csv-reply.ts';
import { presentLine, type ReceiptOf } from './present.ts';

/** A line has these members in JSON; `at` is two columns. */
const members = statementLine.keyof().options;

type Written = { timezone: Timezone; receiptOf: ReceiptOf };

/** Writes RFC 4180 with CRLF and a header row, one chunk per batch of lines. Amounts have two decimals. */
export async function* toCsv(
  batches: AsyncIterable<StatementLine[]>,
  written: Written,
): AsyncGenerator<string> {
  yield rowOf(members.flatMap((name) => (name === 'at' ? ['at', 'day'] : name)));
  for await (const lines of batches) yield lines.map((line) => rowOf(cellsOf(line, written))).join('');
}

function cellsOf(line: StatementLine, { timezone, receiptOf }: Written): string[] {
  const cells = presentLine(line, receiptOf, toFixedDecimal);
  return members.flatMap((name) =>
    name === 'at' ? momentCells(line.at, timezone) : String(cells[name] ?? ''),
  );
}
