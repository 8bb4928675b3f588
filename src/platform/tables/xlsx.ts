import { say } from '../../domain/messages.ts';
import { dateText, plainNumber } from './cell-values.ts';
import {
  CELLS_MAX,
  type CellKind,
  LINE_CHARACTERS_MAX,
  type Row,
  type Table,
  type TableOptions,
  TableRefused,
  tooManyRows,
} from './table.ts';
import { walkXml, type XmlPart } from './walk-xml.ts';
import { isTrue, openWorkbook, plainText, type Sheet, type Workbook } from './workbook.ts';
import { refuseWorkbook, unpacksTooLarge } from './zip.ts';

/** Throws TableRefused. */
export function readXlsx(bytes: Uint8Array, options: TableOptions): Table {
  const workbook = openWorkbook(bytes, options.unpackedMax);
  const [first, ...others] = workbook.sheets;
  if (!first) throw new TableRefused(say('file_empty'));
  const rows = readRows(first.read(), workbook, options);
  for (const other of others) requireNoCells(other, first);
  if (rows.length === 0) throw new TableRefused(say('file_empty'));
  return { rows };
}

/** Refuses a second filled sheet, because it is unclear which one is meant. */
function requireNoCells({ name, read }: Sheet, first: Sheet): void {
  walkXml(read(), {
    open(path) {
      if (isInCell(path)) throw new TableRefused(say('file_two_sheets', { first: first.name, second: name }));
    },
  });
}

const ROW = 3;
const CELL = 4;
const isInCell = (path: readonly string[]) => path.length > CELL && isRow(path) && path[3] === 'c';
const isRow = (path: readonly string[]) => path[1] === 'sheetData' && path[2] === 'row';

type Cell = { column: number; type: string; style: number; text: string; formula: string | null };

function readRows(part: XmlPart, workbook: Workbook, { rowsMax, unpackedMax }: TableOptions): Row[] {
  const rows: Row[] = [];
  let row = newRow(0, false);
  let cell: Cell | null = null;
  let characters = 0;
  const hidden = new Set<number>();
  walkXml(part, {
    open(path, attributes) {
      const name = path.at(-1);
      if (path[1] === 'cols' && name === 'col' && isTrue(attributes.hidden))
        for (let at = Number(attributes.min); at <= Math.min(Number(attributes.max), CELLS_MAX); at += 1)
          hidden.add(at);
      if (!isRow(path)) return;
      if (path.length === ROW) {
        const line = attributes.r === undefined ? row.line + 1 : Number(attributes.r);
        if (!(Number.isSafeInteger(line) && line > row.line)) refuseWorkbook(part.name);
        row = newRow(line, isTrue(attributes.hidden));
      } else if (path.length === CELL && name === 'c') {
        const column = columnOf(attributes.r, row) ?? refuseWorkbook(part.name);
        if (column <= row.column) refuseWorkbook(part.name);
        row.column = column;
        const { t: type = 'n', s: style = '0' } = attributes;
        cell = { column, type, style: Number(style), text: '', formula: null };
      } else if (cell && name === 'f') {
        // This formula fills several cells, and the other cells look as if they were typed.
        if ((attributes.ref ?? '').includes(':') && attributes.t !== 'shared')
          throw new TableRefused(say('file_formula_of_many', { line: row.line }));
      }
    },
    close(path, text) {
      const name = path.at(-1);
      if (cell && path.length > CELL) {
        const isText = cell.type === 'inlineStr' && name === 't' && !path.includes('rPh');
        if (name === 'f') cell.formula = `=${text}`;
        const isValue = cell.type !== 'inlineStr' && name === 'v' && path.length === CELL + 1;
        if (isValue && cell.text !== '') refuseWorkbook(part.name);
        if (isText || isValue) cell.text += text;
      } else if (cell) {
        addCell(row, cell, cellValue(cell, workbook) ?? refuseWorkbook(part.name));
        cell = null;
      } else if (path.length === ROW && isRow(path)) {
        const { line, cells, kinds } = row;
        if (!cells.some((one) => one.trim() !== '')) return;
        if (row.isHidden) throw new TableRefused(say('file_row_hidden', { line }));
        const unseen = cells.findIndex((one, at) => hidden.has(at + 1) && one.trim() !== '');
        if (unseen !== -1)
          throw new TableRefused(say('file_column_hidden', { column: lettersOf(unseen + 1) }));
        if (rows.length === rowsMax) throw tooManyRows(rowsMax);
        characters += row.characters;
        if (characters > unpackedMax / 2) throw unpacksTooLarge(unpackedMax);
        rows.push({ line, cells, raw: cells.join('\t'), kinds });
      }
    },
  });
  return rows;
}

type OpenRow = {
  line: number;
  isHidden: boolean;
  /** column of the last cell, from 1 */
  column: number;
  characters: number;
  cells: string[];
  kinds: CellKind[];
};

function newRow(line: number, isHidden: boolean): OpenRow {
  return { line, isHidden, column: 0, characters: 0, cells: [], kinds: [] };
}

/** `B12` in row 12 is 2; a cell without a name follows the one before. */
function columnOf(name: string | undefined, { line, column }: OpenRow): number | null {
  if (name === undefined) return column + 1;
  const [, letters = '', number] = /^([A-Z]{1,3})(\d{1,7})$/.exec(name) ?? [];
  if (Number(number) !== line) return null;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

const letterOf = (number: number) => String.fromCharCode(64 + number);

/** 27 is `AA`. */
const lettersOf = (column: number) =>
  (column > 26 ? letterOf(Math.ceil(column / 26) - 1) : '') + letterOf(((column - 1) % 26) + 1);

/** Skips a cell with only a style. Throws TableRefused if the row becomes too wide or too long. */
function addCell(row: OpenRow, { column, formula }: Cell, [value, kind]: Value): void {
  const { line, cells, kinds } = row;
  const text = value === '' && formula !== null ? plainText(formula) : value;
  if (text === '') return;
  row.characters += text.length;
  if (column > CELLS_MAX) throw new TableRefused(say('file_row_too_wide', { line, maximum: CELLS_MAX }));
  if (row.characters > LINE_CHARACTERS_MAX) throw new TableRefused(say('file_row_too_long', { line }));
  while (cells.length < column - 1) {
    cells.push('');
    kinds.push('empty');
  }
  cells.push(text);
  kinds.push(formula === null ? kind : 'computed');
}

type Value = [text: string, kind: CellKind];

function cellValue({ type, style, text }: Cell, workbook: Workbook): Value | null {
  if (type === 's') {
    const shared = text === '' ? '' : workbook.strings[Number(text)];
    return shared === undefined ? null : [shared, 'text'];
  }
  if (type === 'inlineStr' || type === 'str') return [plainText(text), 'text'];
  const bare = text.trim();
  if (bare === '') return ['', 'empty'];
  if (type === 'e') return [plainText(bare), 'computed'];
  if (type === 'b') return [isTrue(bare) ? 'TRUE' : 'FALSE', 'text'];
  if (type === 'd') return [plainText(bare).replace('T', ' '), 'date'];
  const number = type === 'n' ? plainNumber(bare) : null;
  const shown = workbook.styles[style] ?? null;
  if (number === null || shown === null) return number === null ? null : [number, 'number'];
  const { is1904 } = workbook;
  return [dateText(bare, { is1904, hasClock: shown === 'clock' }) ?? number, 'date'];
}
