import { type Message, say } from '../../domain/messages.ts';

/** A table is a merchant's batch, or a statement of a network or bank. */

/** `computed` is a formula's result or error: its inputs may have changed since. */
export type CellKind = 'text' | 'number' | 'date' | 'computed' | 'empty';

export type Row = {
  /** from 1, as people count */
  line: number;
  /** one line of text each, unless `isBroken` */
  cells: string[];
  /** for evidence; a workbook's cells are joined by tabs */
  raw: string;
  /** only for workbooks: other files have text */
  kinds?: readonly CellKind[] | undefined;
  /** Quotes do not end at a cell's end, so it is unclear which column a text belongs to. */
  isBroken?: true;
};
export type Table = { rows: Row[] };

export type TableOptions = {
  /** counts the header columns that these cells name; the separator that finds most is taken */
  known: (cells: readonly string[]) => number;
  /** blank rows do not count, rows above the header do */
  rowsMax: number;
  /** bytes read from a workbook */
  unpackedMax: number;
};

export const CELLS_MAX = 200;
export const LINE_CHARACTERS_MAX = 64 * 1024;
export const HEAD_ROWS_MAX = 60;

/** Refuses the whole file. The message says what to do. */
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
