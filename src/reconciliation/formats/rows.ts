import {
  type ColumnName,
  type StatementLayout,
  statementLayouts,
} from '../../domain/data/statement-layouts.ts';
import { type Minor, minor } from '../../domain/money.ts';
import { type CellKind, HEAD_ROWS_MAX, type Row, type Table } from '../../platform/tables/table.ts';
import { createProblems, refuseFile, refuseOther, type Statement, type StatementLine } from '../statement.ts';
import { refuseMore } from './bytes.ts';
import { amountIn, othersOf, ownReferenceIn, refuseCell, timeIn } from './cells.ts';
import type { StatementSettings } from './settings.ts';

/** Spreadsheets shorten and compute these identifying columns. A reference may begin with `=`. */
const NAMES: readonly ColumnName[] = ['receipt', 'linked', 'reference'];
const SHORTENED = /^\d(?:[.,]\d+)?E\+\d{1,3}$|^\d+\.0+$/i;
const FORMULA = /^[=＝]/;
/** Formats in which a table shows a workbook's dates. */
const DATE_CELLS = ['yyyy-MM-dd HH:mm:ss', 'yyyy-MM-dd'];
const COMPUTED = 'is computed by a formula, and may be old';
const ASK_US = 'ask us to add it to data/statement-layouts.json';
/** Excel keeps 15 digits of a number, and no leading zeros. */
const NUMBER_OF_THEIRS = /^\d{1,15}$/;

type Found = { columns: Map<ColumnName, number>; currency: string | null };
type Header = Found & { row: Row };

export function layoutOf({ mapping }: StatementSettings): StatementLayout {
  const layout = statementLayouts.layouts.find(({ name }) => name === mapping);
  return layout ?? refuseFile(`there is no layout ${mapping}`, ASK_US);
}

export const countNamed = () => {
  const names = new Set(
    statementLayouts.layouts.flatMap(({ columns }) => Object.values(columns).flat()).map(plain),
  );
  return (cells: readonly string[]) => cells.filter((cell) => names.has(plain(cell))).length;
};

export function readRows({ rows }: Table, settings: StatementSettings): Statement {
  const layout = layoutOf(settings);
  const header = headerIn(rows, layout) ?? refuseHeader(rows, layout, settings);
  const start = rows.indexOf(header.row);
  const preamble = readPreamble(rows.slice(0, start), layout);
  const body = rows.slice(start + 1).filter((row) => !isBetween(row, header.row, layout));
  refuseMore(body.length);
  requireOneKind(body, header);
  const currency = header.currency ?? preamble.currency;
  const read = lineReader(header, { layout, currency: currency ?? settings.currency });
  const problems = createProblems();
  const lines = body.flatMap((row) => problems.read(() => [read(row)]));
  problems.refuse();
  return { ...preamble, currency, lines };
}

/** Excel turns only some times into dates, and swaps day and month in some. */
function requireOneKind(rows: readonly Row[], { row: header, columns }: Header): void {
  const at = columns.get('at') ?? -1;
  const text = rows.find(({ kinds }) => kinds?.[at] !== 'date');
  if (!text || rows.every(({ kinds }) => kinds?.[at] !== 'date')) return;
  const place = { line: text.line, what: header.cells[at] ?? '' };
  const why = 'is a text, and others are dates, which Excel may have changed';
  refuseCell(place, text.cells[at] ?? '', why);
}

function headerIn(rows: readonly Row[], layout: StatementLayout): Header | null {
  for (const row of rows.slice(0, HEAD_ROWS_MAX)) {
    const found = columnsOf(row.cells, layout);
    if (found !== null && typeof found !== 'string') return { row, ...found };
  }
  return null;
}

/** Says whose file it is, by all known layouts; null if none has its header. */
export function whoseFile(rows: readonly Row[]): string | null {
  for (const layout of statementLayouts.layouts) {
    const header = headerIn(rows, layout);
    if (header === null) continue;
    const { whose } = readPreamble(rows.slice(0, rows.indexOf(header.row)), layout);
    return `${whose} (layout ${layout.name})`;
  }
  return null;
}

/** Throws StatementRefused. */
function refuseHeader(rows: readonly Row[], layout: StatementLayout, settings: StatementSettings): never {
  const whose = whoseFile(rows);
  if (whose !== null) refuseOther(whose, settings, `whose files are ${layout.of}'s (layout ${layout.name})`);
  for (const { line, cells } of rows.slice(0, HEAD_ROWS_MAX)) {
    const found = columnsOf(cells, layout);
    if (typeof found === 'string')
      refuseFile(`line ${line}: ${found}`, `download the file again, or ${ASK_US}`);
  }
  return refuseFile(
    `no line of the first ${HEAD_ROWS_MAX} is the header of the layout ${layout.name}`,
    'download the file again, and choose the account that it is of',
  );
}

/** `Paid In (KSHs)` → `paid in`; brackets hold a currency. */
const plain = (text: string) =>
  text
    .replace(/\([A-Za-z]+\)\s*$/, '')
    .replace(/:\s*$/, '')
    .trim()
    .replace(/\s+/g, ' ')
    .toLowerCase();
const isOneOf = (text: string, names: readonly string[]) => names.some((name) => plain(name) === plain(text));

/** Returns a header's columns, or a sentence if it is nearly a header, or null. */
function columnsOf(cells: readonly string[], layout: StatementLayout): Found | string | null {
  const columns = new Map<ColumnName, number>();
  const unknown: string[] = [];
  let currency: string | null = null;
  for (const [index, cell] of cells.entries()) {
    if (cell.trim() === '' || isOneOf(cell, layout.ignored)) continue;
    const named = Object.entries(layout.columns).find(([, names]) => isOneOf(cell, names));
    if (!named) unknown.push(cell.trim());
    else if (columns.has(named[0] as ColumnName)) return `the header has ${cell.trim()} twice`;
    else columns.set(named[0] as ColumnName, index);
    currency = currencyIn(/\(([A-Za-z]+)\)\s*$/.exec(cell)?.[1]) ?? currency;
  }
  const wanted = Object.keys(layout.columns) as ColumnName[];
  const missing = wanted.filter((name) => !columns.has(name) && !layout.optional.includes(name));
  if (columns.size < 3) return null;
  if (missing.length > 0)
    return `the header lacks ${layout.columns[missing[0] as ColumnName]?.[0]} of the layout ${layout.name}`;
  if (unknown.length > 0)
    return `the layout ${layout.name} does not know the column ${JSON.stringify(unknown[0])}`;
  return { columns, currency };
}

function currencyIn(word: string | undefined): string | null {
  if (!word?.trim()) return null;
  const wanted = word.trim().toUpperCase();
  const known = Object.entries(statementLayouts.currency_words).find(([, words]) => words.includes(wanted));
  return known?.[0] ?? wanted;
}

function readPreamble(rows: readonly Row[], layout: StatementLayout): Omit<Statement, 'lines'> {
  const found = new Map<string, { line: number; what: string; text: string; isDate: boolean }>();
  for (const { line, cells, kinds } of rows) {
    const filled = cells
      .map((cell, at) => ({ text: cell.trim(), kind: kinds?.[at] }))
      .filter(({ text }) => text !== '');
    for (const [index, { text: what }] of filled.entries())
      for (const [name, names] of Object.entries(layout.labels)) {
        const value = filled[index + 1];
        if (!value || !isOneOf(what, names)) continue;
        if (value.kind === 'computed') refuseCell({ line, what }, value.text, COMPUTED);
        found.set(name, { line, what, text: value.text, isDate: value.kind === 'date' });
      }
  }
  const amount = (name: string): Minor | null => {
    const place = found.get(name);
    return place ? amountIn(place.text, place) : null;
  };
  const time = (name: string) => {
    const place = found.get(name);
    return place && timeIn(place.text, place.isDate ? DATE_CELLS : layout.dates, place);
  };
  const [from, to] = [time('from'), time('to')];
  const paidOut = amount('paid_out');
  const number = found.get('theirs');
  const ofNumber = number ? ` of ${plain(number.what)} ${number.text}` : '';
  return {
    whose: `${layout.of}'s file${ofNumber}`,
    theirs: number?.text ?? null,
    currency: currencyIn(found.get('currency')?.text),
    // The last second (or day) is included.
    period: from && to ? { from: from.at, to: new Date(to.at.getTime() + to.stepMs) } : null,
    opening: amount('opening'),
    closing: amount('closing'),
    totals: { lines: null, paidIn: amount('paid_in'), paidOut: paidOut && minor(Math.abs(paidOut)) },
  };
}

/** True for rows between and below the lines: sums, footers, and repeated headers. */
function isBetween({ cells, raw }: Row, header: Row, { trailer, footers }: StatementLayout): boolean {
  if (isOneOf(cells[0] ?? '', trailer) || raw === header.raw) return true;
  const [only = '', ...others] = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  return others.length === 0 && footers.some((footer) => footer.test(only));
}

function wrongName(
  column: ColumnName,
  { text, kind }: { text: string; kind?: CellKind | undefined },
): string | null {
  if (column !== 'reference' && FORMULA.test(text)) return 'is a formula';
  if (kind === 'date') return 'was made a date by Excel';
  const isWhole = column !== 'reference' && NUMBER_OF_THEIRS.test(text);
  if (kind === 'number' && !isWhole) return 'was made a number by Excel, leading zeros may be lost';
  return SHORTENED.test(text) ? 'was shortened by a spreadsheet' : null;
}

/** Reads a line below the header. Throws StatementRefused. */
function lineReader(
  { row: header, columns }: Header,
  { layout, currency }: { layout: StatementLayout; currency: string },
): (row: Row) => StatementLine {
  const nameOf = (column: ColumnName) => header.cells[columns.get(column) ?? -1]?.trim() ?? column;
  const nameless = (index: number) => (header.cells[index] ?? '').trim() === '';
  return ({ line, raw, cells, kinds = [], isBroken }) => {
    if (isBroken) refuseCell({ line, what: 'the row' }, raw, 'has a quote that does not end with its cell');
    const place = (column: ColumnName) => ({ line, what: nameOf(column) });
    const kindOf = (column: ColumnName) => kinds[columns.get(column) ?? -1];
    const cell = (column: ColumnName) => cells[columns.get(column) ?? -1]?.trim() ?? '';
    for (const [index, one] of cells.entries()) {
      if (nameless(index) && one.trim() !== '')
        refuseCell({ line, what: `column ${index + 1}` }, one, 'has no header');
      if (kinds[index] === 'computed')
        refuseCell({ line, what: header.cells[index]?.trim() ?? '' }, one, COMPUTED);
    }
    for (const column of NAMES) {
      const why = wrongName(column, { text: cell(column), kind: kindOf(column) });
      if (why) refuseCell(place(column), cell(column), why);
    }
    const text = cell('text');
    const allInText = (expressions: readonly RegExp[]) =>
      expressions.flatMap((one) => one.exec(text)?.[1]?.trim() || []);
    const inText = (expressions: readonly RegExp[]) => allInText(expressions)[0] ?? null;
    const numbers = allInText(layout.receipt);
    const receipt = columns.has('receipt') ? cell('receipt') || null : (numbers[0] ?? null);
    const rule = layout.kinds.find(({ starts }) => text.toLowerCase().startsWith(starts));
    const status =
      statusOf(cell('status')) ??
      refuseCell(place('status'), cell('status'), 'is no status that we know', ASK_US);
    const amount = amountOf();
    return {
      no: line,
      raw,
      receipt,
      alsoKnownAs: othersOf(...numbers).filter((one) => one !== receipt),
      kind: rule?.kind ?? 'unknown',
      status,
      amount,
      currency: currencyIn(cell('currency')) ?? currency,
      at: timeIn(cell('at'), kindOf('at') === 'date' ? DATE_CELLS : layout.dates, place('at')).at,
      reference:
        ownReferenceIn(`${cell('reference')} ${text}`) ?? (cell('reference') || inText(layout.reference)),
      names: cell('linked')
        .split(/[\s,]+/)
        .filter((name) => name !== ''),
      sweepTo: rule?.sweep_to ?? null,
      party: cell('party') || inText(layout.party),
      balanceAfter: columns.has('balance') ? balance() : null,
      text,
    };

    function statusOf(word: string) {
      return columns.has('status') ? layout.statuses[word.toLowerCase()] : 'done';
    }
    /** Some files write withdrawals with a minus, others without. */
    function amountOf(): Minor {
      const paidIn = amountIn(cell('paid_in'), place('paid_in')) ?? 0;
      const paidOut = Math.abs(amountIn(cell('paid_out'), place('paid_out')) ?? 0);
      if (paidIn < 0) return refuseCell(place('paid_in'), cell('paid_in'), 'is negative');
      if (paidIn !== 0 && paidOut !== 0)
        return refuseCell(place('paid_out'), cell('paid_out'), `stands beside ${nameOf('paid_in')}`);
      return minor(paidIn - paidOut);
    }
    /** A line that moved nothing may have no balance. */
    function balance(): Minor | null {
      if (status !== 'done' && cell('balance') === '') return null;
      return (
        amountIn(cell('balance'), place('balance')) ??
        refuseCell(place('balance'), '', 'is no amount such as 1,100.00')
      );
    }
  };
}
