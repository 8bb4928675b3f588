import { CsvError, parse } from 'csv-parse/sync';
import { GatewayError } from '../../domain/errors.ts';
import { type Message, say } from '../../domain/messages.ts';

/** A CSV's first line, and a row with a cell for each of its columns for every other one that is not blank. */
export type CsvTable = { header: string[]; rows: string[][] };

const COLUMNS_MAX = 100;
/** A row may be longer than the header where its last cells are blank. */
const CELLS_MAX = 200;
/** Spreadsheets write rows that are blank: those that are not are at most half of all. */
const ROWS_PER_ROW_MAX = 2;
/** The first line is looked at before it was read. */
const FIRST_LINE_CHARACTERS_MAX = 10_000;
/** Any of them ends any row: rows that a script appended may end otherwise than the header. */
const LINE_ENDS = ['\r\n', '\n', '\r'];
/** Excel writes `="0754…"` to keep a zero: that is a formula of its row, and the file is read all the same. */
const QUOTED_FORMULA = /(^|[,;\r\n])="([^",;\r\n]*)"(?=[,;\r\n]|$)/g;

/** Stops at the first row too many. Throws GatewayError (`validation_failed`) where it is no table. */
export function readCsv(text: string, rowsMax: number): CsvTable {
  if (text.includes('\0')) throw unreadable('it has a NUL');
  const [first = ''] = text.slice(0, FIRST_LINE_CHARACTERS_MAX).split(/\r\n|\r|\n/, 1);
  const delimiter = first.split(';').length > first.split(',').length ? ';' : ',';
  const take = taking(rowsMax);
  try {
    const [header = [], ...rows]: string[][] = parse(text.replace(QUOTED_FORMULA, '$1=$2'), {
      bom: true,
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: LINE_ENDS,
      on_record: take,
    });
    return { header, rows };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw unreadable(error.message.slice(0, 200));
  }
}

/** Reads row by row; null is a blank one. */
function taking(rowsMax: number): (cells: string[]) => string[] | null {
  let columns = 0;
  let all = 0;
  let taken = 0;
  return (cells) => {
    all += 1;
    if (all > rowsMax * ROWS_PER_ROW_MAX) throw tooMany(rowsMax);
    if (columns === 0 && cells.length > COLUMNS_MAX)
      throw unreadable(`it has more than ${COLUMNS_MAX} columns`);
    if (cells.length > CELLS_MAX) throw unreadable(`a row has more than ${CELLS_MAX} cells`);
    if (cells.every((cell) => cell.trim() === '')) return null;
    if (columns === 0) {
      columns = cells.length;
      return cells;
    }
    taken += 1;
    if (taken > rowsMax) throw tooMany(rowsMax);
    if (cells.slice(columns).some((cell) => cell.trim() !== ''))
      throw refused(say('batch_csv_long_row', { row: taken }));
    return Array.from({ length: columns }, (_, at) => cells[at] ?? '');
  };
}

const tooMany = (maximum: number) => refused(say('must_have_at_most_items', { maximum }));

const unreadable = (problem: string) => refused(say('batch_csv_unreadable', { problem }));

function refused(message: Message): GatewayError {
  return new GatewayError('validation_failed', message, { errors: [{ field: 'items', message }] });
}
