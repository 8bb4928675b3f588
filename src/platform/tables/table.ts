import { type Message, say } from '../../domain/messages.ts';

/** Merchants' batches, statements of networks and banks. */

/** `computed` is a formula's result or error: its inputs may have changed since. */
export type CellKind = 'text' | 'number' | 'date' | 'computed' | 'empty';

export type Row = {
  /** from 1, as people count the file's rows */
  line: number;
  /** one line of text each, unless `isBroken` */
  cells: string[];
  /** the row as it came, for evidence; a workbook's cells are joined by tabs */
  raw: string;
  /** only for workbooks; cells of other files are text */
  kinds?: readonly CellKind[] | undefined;
  /** Quotes do not end at a cell's end, so it is unclear which column a text belongs to. */
  isBroken?: true;
};
export type Table = { rows: Row[] };

export type TableOptions = {
  /** counts the header columns that these cells name; chooses the separator */
  known: (cells: readonly string[]) => number;
  /** rows that are not blank, including those above the header */
  rowsMax: number;
  /** unpacked bytes that are read of a workbook */
  unpackedMax: number;
};

export const CELLS_MAX = 200;
export const LINE_CHARACTERS_MAX = 64 * 1024;
export const HEAD_ROWS_MAX = 60;

/** The whole file is refused. The message says what to do. */
export class TableRefused extends Error {
  override readonly name = 'TableRefused';
  readonly say: Message;
  constructor(message: Message) {
    super(message.id);
    this.say = message;
  }
}

export function tooManyRows(maximum: number): TableRefused {
  return new TableRefused(say('file_too_many_rows', { maximum }));
}
