import { type Message, say } from '../../domain/messages.ts';

/** A table is a merchant's batch, or a statement of a network or bank. */

/** `computed` is a formula's result or error: its inputs may have changed since. */
export type CellKind = 'text' | 'number' | 'date' | 'computed' | 'empty';

export type Row = {
  /** from 1, as people count */
  line: number;
  /** each is one line of text, unless `isBroken` */
  cells: string[];
  /** text for evidence; a workbook's cells are joined by tabs */
  raw: string;
  /** only for workbooks, because other files have text */
  kinds?: readonly CellKind[] | undefined;
  /** A quote is inside a cell, so it is unclear which column a text belongs to. */
  isBroken?: true;
};
export type Table = { rows: Row[] };

export type TableOptions = {
  /** counts the header columns that these cells name; the separator that finds most is used */
  known: (cells: readonly string[]) => number;
  /** counts rows above the header, but no blank rows */
  rowsMax: number;
  /** bytes read from a workbook */
  unpackedMax: number;
};

export const CELLS_MAX = 200;
export const LINE_CHARACTERS_MAX = 64 * 1024;
export const HEAD_ROWS_MAX = 60;

/** The whole file is refused. The message says how to correct it. */
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
