import { say } from '../../domain/messages.ts';
import {
  CELLS_MAX,
  HEAD_ROWS_MAX,
  LINE_CHARACTERS_MAX,
  type Row,
  type Table,
  type TableOptions,
  TableRefused,
  tooManyRows,
} from './table.ts';

const SEPARATORS = [',', ';', '\t'];
/** Excel may write its separator on the first line. */
const NAMED = /^sep=([,;\t|])[ \t]*(?=[\r\n]|$)/i;

/** Throws TableRefused. */
export function readCsv(text: string, options: TableOptions): Table {
  const named = NAMED.exec(text);
  const separator = named?.[1] ?? separatorOf(text, options);
  const rows: Row[] = [];
  for (const row of rowsOf(text, separator)) {
    const { line, cells, raw } = row;
    if (named && line === 1) continue;
    if (rows.length === options.rowsMax) throw tooManyRows(options.rowsMax);
    if (raw.length > LINE_CHARACTERS_MAX) throw new TableRefused(say('file_row_too_long', { line }));
    if (cells.length > CELLS_MAX)
      throw new TableRefused(say('file_row_too_wide', { line, maximum: CELLS_MAX }));
    rows.push(row);
  }
  return { rows };
}

/**
 * Returns the separator that finds the most known columns in a header. Refuses the file if two find as many.
 */
function separatorOf(text: string, { known }: TableOptions): string {
  const counts = SEPARATORS.map((separator) => {
    let most = 0;
    let left = HEAD_ROWS_MAX;
    for (const { cells } of rowsOf(text, separator)) {
      most = Math.max(most, known(cells));
      left -= 1;
      if (left === 0) break;
    }
    return most;
  });
  const most = Math.max(...counts);
  const [best = ',', another] = SEPARATORS.filter((_, at) => counts[at] === most);
  if (another !== undefined && most > 1) throw new TableRefused(say('file_two_separators'));
  return best;
}

function* rowsOf(text: string, separator: string): Generator<Row> {
  for (const { line, raw } of linesOf(text)) {
    const cells = cellsOf(raw, separator);
    if (cells === null) yield { line, cells: [raw], raw, isBroken: true };
    else if (cells.some((cell) => cell.trim() !== '')) yield { line, cells, raw };
  }
}

/** Accepts any line end on any line, because a script may append rows with other line ends. */
function* linesOf(text: string): Generator<{ line: number; raw: string }> {
  const end = /\r\n|\r|\n/g;
  let from = 0;
  for (let line = 1; from < text.length; line += 1) {
    const at = end.exec(text)?.index ?? text.length;
    yield { line, raw: text.slice(from, at) };
    from = at === text.length ? at : end.lastIndex;
  }
}

/** Returns null if a quoted cell does not end with a quote, because two rows could then look like one. */
function cellsOf(line: string, separator: string): string[] | null {
  if (!line.includes('"')) return line.split(separator);
  const cells: string[] = [];
  for (let at = 0; at <= line.length; at += 1) {
    const isQuoted = line[at] === '"';
    const end = isQuoted ? closingQuote(line, at + 1) + 1 : line.indexOf(separator, at);
    const stop = end === -1 ? line.length : end;
    if (isQuoted && (stop === 0 || (stop < line.length && line[stop] !== separator))) return null;
    cells.push(isQuoted ? line.slice(at + 1, stop - 1).replaceAll('""', '"') : line.slice(at, stop));
    at = stop;
  }
  return cells;
}

/** Returns -1 if there is none. Two quotes stand for one quote of text. */
function closingQuote(line: string, from: number): number {
  for (let at = line.indexOf('"', from); at !== -1; at = line.indexOf('"', at + 2))
    if (line[at + 1] !== '"') return at;
  return -1;
}
