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

function rowOf(cells: string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

const NUMBER = /^-?\d+(\.\d+)?$/;
/** Characters that begin a formula in spreadsheets; the full-width forms do in some. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** Others' text must not compute anything in a merchant's spreadsheet: an apostrophe makes it text. */
export function cellOf(text: string): string {
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
