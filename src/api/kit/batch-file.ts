import { withoutGuard } from '../../base/csv.ts';
import { bankNamed, parseAccountNumber } from '../../domain/bank.ts';
import { columnsNamed, saysProblem, saysTotal } from '../../domain/batch-header.ts';
import type { BatchColumn } from '../../domain/data/batch-files.ts';
import { GatewayError } from '../../domain/errors.ts';
import { type Message, say } from '../../domain/messages.ts';
import { CURRENCY, formatMoney, MINOR_PER_UNIT, minor } from '../../domain/money.ts';
import { readPhone } from '../../domain/msisdn.ts';
import type { CellKind, Row, Table } from '../../platform/tables/table.ts';
import type { SentRow, WrongCell } from './batch-rows.ts';

/** A batch may be a file. Rows around its items are reported, checked or refused, never paid. */

const ROWS_ABOVE_MAX = 20;
const COLUMNS_MAX = 100;
const NOTE_CHARACTERS_MAX = 100;

type Columns = readonly (BatchColumn | undefined)[];
export type OwnRows = { above: readonly Row[]; header: Row; below: readonly Row[] };
export type BatchFile = { columns: string[]; rows: SentRow[]; notes: Message[]; own: OwnRows };

/** Throws `validation_failed` if the columns are unclear. */
export function readBatchFile(table: Table): BatchFile {
  const own = ownRows(table);
  const { above, header, below: body } = own;
  const columns = namesOf(header);
  const last = body.at(-1);
  const total = last && isTotal(last, columns) ? last : null;
  const sent = body.slice(0, total ? -1 : undefined).map((row) => sentRow(row, columns, header));
  if (total) requireSum(total, columns, sent);
  return { columns: header.cells, rows: sent, notes: above.map(noteOf), own };
}

/** Removes our problem column and the protecting apostrophes from a file that we returned. */
function ownRows({ rows }: Table): OwnRows {
  const at = rows.slice(0, ROWS_ABOVE_MAX + 1).findIndex(({ cells }) => isHeader(columnsNamed(cells)));
  const ours = rows[at]?.cells.findIndex(saysProblem) ?? -1;
  const own = rows.map((row, index): Row => {
    const cells = row.cells.map(withoutGuard);
    // No sentence of ours begins with a digit, so this cell may be the end of an amount.
    if (ours === -1 || index < at || row.isBroken || /^\s*\d/.test(cells[ours] ?? ''))
      return { ...row, cells };
    const kinds = row.kinds?.toSpliced(ours, 1);
    return { ...row, cells: cells.toSpliced(ours, 1), kinds };
  });
  const header = own[at];
  if (!header) throw refused(say('batch_file_no_header', { maximum: ROWS_ABOVE_MAX }));
  return { above: own.slice(0, at), header, below: own.slice(at + 1) };
}

function isHeader(columns: Columns): boolean {
  return (
    columns.includes('amount') && (columns.includes('phone_number') || columns.includes('account_number'))
  );
}

/** Refuses two columns with the same name. */
function namesOf({ line, cells }: Row): Columns {
  const columns = columnsNamed(cells);
  const second = columns.findIndex((name, at) => name !== undefined && columns.indexOf(name) < at);
  if (cells.length > COLUMNS_MAX) throw refused(say('file_row_too_wide', { line, maximum: COLUMNS_MAX }));
  if (second === -1) return columns;
  const [one, another] = [columns.indexOf(columns[second]), second].map((at) => cells[at]?.trim() ?? '');
  throw refused(say('batch_file_two_columns', { one: one ?? '', another: another ?? '' }));
}

/**
 * A row above the header is a title. With a recipient and an amount it is a payment, which must not be lost.
 */
function noteOf({ line, cells }: Row): Message {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  const recipients = filled.filter((cell) => readPhone(cell).msisdn !== null || isAccountNumber(cell));
  const amounts = filled.filter((cell) => typeof amountIn(cell) === 'number');
  if (recipients.length > 0 && new Set([...recipients, ...amounts]).size > 1 && amounts.length > 0)
    throw refused(say('batch_file_row_above', { line }));
  const text = filled.join(' ').slice(0, NOTE_CHARACTERS_MAX);
  return say('batch_file_note', { line, text });
}

const isAccountNumber = (cell: string) => /(?:\d[ -]?){5}/.test(cell) && parseAccountNumber(cell) !== null;

const RECIPIENT: readonly BatchColumn[] = ['phone_number', 'account_number', 'bic'];

function isTotal({ cells, isBroken }: Row, columns: Columns): boolean {
  const hasNone = cells.every((cell, at) => {
    const name = columns[at];
    return name === undefined || !RECIPIENT.includes(name) || cell.trim() === '' || saysTotal(cell);
  });
  return !isBroken && hasNone && cells.some(saysTotal);
}

/** Checks the file's total, unless an amount is unreadable: that row has its own error. */
function requireSum({ line, cells }: Row, columns: Columns, rows: readonly SentRow[]): void {
  const amounts = rows.map(({ fields }) => fields.amount);
  if (!amounts.every((amount) => typeof amount === 'number')) return;
  const written = cells[columns.indexOf('amount')]?.trim() ?? '';
  const sum = amounts.reduce((all, amount) => all + amount, 0);
  if (amountIn(oneSpace(written)) === sum) return;
  const shown = formatMoney(minor(sum * MINOR_PER_UNIT));
  throw refused(say('batch_file_other_total', { line, total: written || '—', sum: shown }));
}

/** An unquoted 12,500 becomes two cells, and a spreadsheet that saves the file adds a nameless column. */
function sentRow({ cells, line, kinds = [], isBroken }: Row, columns: Columns, header: Row): SentRow {
  const fields: Record<string, unknown> = { currency: CURRENCY };
  const wrong: WrongCell[] = [];
  const amountAt = columns.indexOf('amount');
  const isLong = cells.some((cell, at) => at > amountAt && cell.trim() !== '' && !header.cells[at]?.trim());
  if (isBroken || isLong)
    wrong.push({ field: 'row', message: say(isBroken ? 'has_open_quote' : 'has_more_cells') });
  else
    for (const [at, name] of columns.entries()) {
      const cell = oneSpace(cells[at] ?? '');
      if (name === undefined || cell === '') continue;
      const message = wrongKind(name, kinds[at] ?? 'text');
      if (message) wrong.push({ field: name, message });
      else fields[name] = fieldOf(name, cell);
    }
  return { fields, metadata: null, cells: Array.from(columns, (_, at) => cells[at] ?? ''), line, wrong };
}

const TEXTS: readonly BatchColumn[] = ['account_number', 'reference'];

/** A formula is not computed, and its stored result may be old. */
function wrongKind(name: BatchColumn, kind: CellKind): Message | null {
  if (kind === 'computed') return say('is_computed');
  if (kind === 'date') return say('was_made_date');
  return kind === 'number' && TEXTS.includes(name) ? say('was_made_number') : null;
}

/** People write a bank's name. An unknown name is refused as a wrong BIC. */
function fieldOf(name: BatchColumn, cell: string): unknown {
  if (name === 'amount') return amountIn(cell);
  return name === 'bic' ? (bankNamed(cell)?.bic ?? cell) : cell;
}

const oneSpace = (cell: string) => cell.replace(/[\s\u00a0\u202f]+/g, ' ').trim();

const SHILLINGS = /^(?:TZS|TSHS?)\.? ?(?=\d)|(?<=\d) ?(?:TZS|TSHS?|\/[=-])$/gi;
/** Accepts groups of three with one separator. `5.000`, `5,00` and `10000,000` have two readings. */
const WHOLE = /^(?:\d{1,3}(?:([, ])\d{3}(?:\1\d{3})*)?|\d{1,15})(?:\.0{1,2})?$/;

/** Reads `5,000`, `5 000`, `5000.00`, `5,000/=` and `TZS 5,000` as 5000. Other text stays unchanged. */
function amountIn(cell: string): unknown {
  const bare = cell.replace(SHILLINGS, '');
  return WHOLE.test(bare) ? Number(bare.replace(/[, ]/g, '')) : cell;
}

function refused(message: Message): GatewayError {
  return new GatewayError('validation_failed', message, { errors: [{ field: 'items', message }] });
}
