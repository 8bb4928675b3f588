import { type Message, say } from '../../domain/messages.ts';

/** Files of rows, as people have them on their desks: batches of merchants, statements of networks and banks. */

/** `computed` is a formula's result or error: its inputs may have changed since. */
export type CellKind = 'text' | 'number' | 'date' | 'computed' | 'empty';

export type Row = {
  /** from 1, as people count the rows of the file */
  line: number;
  /** one line of text each, unless `isBroken` */
  cells: string[];
  /** the row as it came, for evidence; of a workbook its cells between tabs */
  raw: string;
  /** only a workbook has kinds; cells of other files are text */
  kinds?: readonly CellKind[] | undefined;
  /** Quotes do not end where cells do: nobody knows which text is in which column. */
  isBroken?: true;
};
export type Table = { rows: Row[] };

export type TableOptions = {
  /** how many columns of a header these cells name: the separator is the one that makes the most of them */
  known: (cells: readonly string[]) => number;
  /** rows that are not blank, those above the header included */
  rowsMax: number;
  /** bytes of what is read of a workbook, unpacked */
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
