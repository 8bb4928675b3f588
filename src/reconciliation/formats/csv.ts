import { CsvError, type InfoRecord, parse } from 'csv-parse/sync';
import {
  type ColumnName,
  type StatementLayout,
  statementLayouts,
} from '../../domain/data/statement-layouts.ts';
import { type Minor, minor } from '../../domain/money.ts';
import { type Statement, type StatementLine, StatementRefused } from '../statement.ts';
import { refuseMore } from './bytes.ts';
import { amountIn, othersOf, ownReferenceIn, refuseCell, timeIn } from './cells.ts';
import type { StatementSettings } from './settings.ts';

/** A statement of comma- or semicolon-separated values by a layout of data/statement-layouts.json. */

/** The header is looked for in so many lines. */
const PREAMBLE_LINES_MAX = 60;
const RECORD_CHARACTERS_MAX = 64 * 1024;
/** What a spreadsheet would compute. A sign before a number or a name is none. */
const FORMULA = /^\s*(?:[=＝]|[+\-@＋－＠][\w.+*/-]*[(|!])/;

type Row = { line: number; raw: string; cells: string[] };
type Header = { row: Row; columns: ReadonlyMap<ColumnName, number>; currency: string | null };

export function readCsv(text: string, settings: StatementSettings): Statement {
  const layout = statementLayouts.layouts.find(({ name }) => name === settings.mapping);
  if (!layout) throw new StatementRefused(`data/statement-layouts.json has no layout ${settings.mapping}`);
  const { rows, header } = findHeader(text, layout);
  const start = rows.indexOf(header.row);
  const preamble = readPreamble(rows.slice(0, start), layout);
  const body = rows.slice(start + 1).filter(({ cells }) => !isTrailer(cells[0] ?? '', layout));
  refuseMore(body.length);
  const read = lineReader(header, {
    layout,
    currency: header.currency ?? preamble.currency ?? settings.currency,
  });
  return { ...preamble, currency: header.currency ?? preamble.currency, lines: body.map(read) };
}

/** With the separator that gives the header that the layout names. */
function findHeader(text: string, layout: StatementLayout): { rows: Row[]; header: Header } {
  let [nearest, broken]: (string | null)[] = [null, null];
  for (const delimiter of [',', ';']) {
    const head = rowsOf(text, delimiter, PREAMBLE_LINES_MAX);
    broken ??= head.broken;
    for (const { line, cells } of head.rows) {
      const found = columnsOf(cells, layout);
      if (typeof found === 'string') nearest ??= found;
      if (found === null || typeof found === 'string') continue;
      const all = rowsOf(text, delimiter);
      if (all.broken !== null) throw new StatementRefused(all.broken);
      return { rows: all.rows, header: { row: all.rows.find((row) => row.line === line) as Row, ...found } };
    }
  }
  const none = `no line of the first ${PREAMBLE_LINES_MAX} is the header of the layout ${layout.name}`;
  throw new StatementRefused(nearest ?? broken ?? none);
}

/** `most`: only so many from the beginning. `broken`: the sentence about the place from where on it is no CSV. */
function rowsOf(text: string, delimiter: string, most = -1): { rows: Row[]; broken: string | null } {
  const bytes = Buffer.from(text);
  const rows: Row[] = [];
  let from = 0;
  const keep = (record: string[]): null => {
    const { record: cells, info } = record as unknown as {
      record: string[];
      info: InfoRecord & { bytes: number };
    };
    const raw = bytes.subarray(from, info.bytes).toString('utf8').trim();
    from = info.bytes;
    if (cells.some((cell) => cell.trim() !== '')) rows.push({ line: info.lines, raw, cells });
    // The library keeps none itself.
    return null;
  };
  try {
    parse(bytes, {
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      to: most,
      max_record_size: RECORD_CHARACTERS_MAX,
      on_record: keep,
    });
    return { rows, broken: null };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { rows, broken: `line ${error.lines ?? '?'}: this is no CSV: ${error.message}` };
  }
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

/** The columns of a header; a sentence when it is nearly one; null when it is none. */
function columnsOf(
  cells: readonly string[],
  layout: StatementLayout,
): { columns: Map<ColumnName, number>; currency: string | null } | string | null {
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
  const found = new Map<string, { line: number; what: string; text: string }>();
  for (const { line, cells } of rows) {
    const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
    for (const [index, cell] of filled.entries())
      for (const [name, names] of Object.entries(layout.labels))
        if (isOneOf(cell, names) && filled[index + 1] !== undefined)
          found.set(name, { line, what: cell, text: filled[index + 1] as string });
  }
  const amount = (name: string): Minor | null => {
    const place = found.get(name);
    return place ? amountIn(place.text, place) : null;
  };
  const time = (name: string) => {
    const place = found.get(name);
    return place && timeIn(place.text, layout.dates, place);
  };
  const [from, to] = [time('from'), time('to')];
  const paidOut = amount('paid_out');
  return {
    theirs: found.get('theirs')?.text ?? null,
    currency: currencyIn(found.get('currency')?.text),
    // The last second (or day) is inside.
    period: from && to ? { from: from.at, to: new Date(to.at.getTime() + to.stepMs) } : null,
    opening: amount('opening'),
    closing: amount('closing'),
    totals: { lines: null, paidIn: amount('paid_in'), paidOut: paidOut && minor(Math.abs(paidOut)) },
  };
}

const isTrailer = (cell: string, layout: StatementLayout) => isOneOf(cell, layout.trailer);

/** Reads a line below the header. Throws StatementRefused. */
function lineReader(
  { row: header, columns }: Header,
  { layout, currency }: { layout: StatementLayout; currency: string },
): (row: Row) => StatementLine {
  const nameOf = (column: ColumnName) => header.cells[columns.get(column) ?? -1]?.trim() ?? column;
  const nameless = (index: number) => (header.cells[index] ?? '').trim() === '';
  return ({ line, raw, cells }) => {
    const place = (column: ColumnName) => ({ line, what: nameOf(column) });
    const cell = (column: ColumnName) => cells[columns.get(column) ?? -1]?.trim() ?? '';
    for (const [index, one] of cells.entries()) {
      if (nameless(index) && one.trim() !== '')
        refuseCell({ line, what: `column ${index + 1}` }, one, 'has no header');
      if (FORMULA.test(one)) refuseCell({ line, what: `column ${index + 1}` }, one, 'is a formula');
    }
    const text = cell('text');
    const allInText = (expressions: readonly RegExp[]) =>
      expressions.flatMap((one) => one.exec(text)?.[1]?.trim() || []);
    const inText = (expressions: readonly RegExp[]) => allInText(expressions)[0] ?? null;
    const numbers = allInText(layout.receipt);
    const receipt = columns.has('receipt') ? cell('receipt') || null : (numbers[0] ?? null);
    const rule = layout.kinds.find(({ starts }) => text.toLowerCase().startsWith(starts));
    const status =
      statusOf(cell('status')) ?? refuseCell(place('status'), cell('status'), 'is no status that we know');
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
      at: timeIn(cell('at'), layout.dates, place('at')).at,
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
    /** Some files write what was withdrawn with a minus, others without. */
    function amountOf(): Minor {
      const paidIn = amountIn(cell('paid_in'), place('paid_in')) ?? 0;
      const paidOut = Math.abs(amountIn(cell('paid_out'), place('paid_out')) ?? 0);
      if (paidIn < 0) return refuseCell(place('paid_in'), cell('paid_in'), 'is negative');
      if (paidIn !== 0 && paidOut !== 0)
        return refuseCell(place('paid_out'), cell('paid_out'), `stands beside ${nameOf('paid_in')}`);
      return minor(paidIn - paidOut);
    }
    function balance(): Minor {
      return (
        amountIn(cell('balance'), place('balance')) ??
        refuseCell(place('balance'), cell('balance'), 'is no amount such as 1,100.00')
      );
    }
  };
}
