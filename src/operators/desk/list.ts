import { rowOf } from '../../base/csv.ts';
import { validationFailed } from '../../domain/errors.ts';
import { formatMoney, MINOR_PER_UNIT, minor } from '../../domain/money.ts';
import { type Html, html } from '../../platform/http/html.ts';
import type { Call } from '../api/call.ts';
import { calls } from '../api/calls.ts';
import { type Column as Declared, fileTextOf, memberOf, type Totals, totalsIn, valueIn } from '../columns.ts';
import {
  choicesOf,
  type Declared as DeclaredList,
  type Filter,
  type Item,
  type ListCall,
  listNames,
  type MemberOf,
  wordsOf,
} from '../list.ts';
import type { Answer, CallName, Desk } from './desk.ts';
import { type Field, filters } from './form.ts';
import { type Cell, money, segment, shownOf } from './words.ts';

export type Column<Of> = readonly [
  head: string,
  cell: (item: Of) => Cell,
  /** an extra column, only in the file */
  inFile?: readonly [head: string, text: (item: Of) => string],
];

type Table<Of> = {
  columns: readonly Column<Of>[];
  /** shown below the item, only on the page */
  below?: (item: Of) => Html | null;
  /** heads of the columns that are added up */
  totals?: readonly string[];
};

/** A list is shown as pages with filters, or as one file. */
export type List<Name extends ListCall = ListCall> = Table<Item<Name>> & {
  call: Name;
  id?: string;
  query?: Record<string, string | number>;
  filters?: readonly Field[];
  none: string;
  /** the call answers oldest first; the page shows newest first */
  isReversed?: true;
  /** items per page; a file reads ten times as many at once */
  perPage?: number;
  /** why there is no file, or null */
  noFile?: (answer: Answer<Name>) => string | null;
  head?: (answer: Answer<Name>) => Html;
};

export type More<Name extends ListCall> = Omit<Partial<List<Name>>, 'call' | 'columns' | 'filters'> & {
  values?: Record<string, string>;
};

export function listAt<Name extends ListCall>(
  desk: Desk,
  { call, columns, filters = [], totals, none }: DeclaredList<Name>,
  { values = {}, ...more }: More<Name> = {},
): List {
  const fields = (filters as readonly Filter[]).filter(
    ({ name, isCommand }) => !isCommand && !(more.query && name in more.query),
  );
  const head = (answer: Answer<Name>) =>
    html`${totals && totalsAt(desk, totals, answer)}${more.head?.(answer)}`;
  return listOf<Name>({
    none,
    ...more,
    call,
    head,
    columns: columnsAt(desk, columns as readonly Declared[]),
    filters: fields.map((one) => ({ ...fieldAt(call, one), value: values[one.name] ?? '' })),
  });
}

/** In files, a column that pages leave out follows the column before it. */
export function columnsAt<Of>(desk: Desk, columns: readonly Declared[]): Column<Of>[] {
  const shown: Column<Of>[] = [];
  for (const column of columns) {
    const inFile = (item: Of) => fileTextOf(column, item);
    const last = shown.at(-1);
    if (!column.not?.includes('page')) shown.push([column.head, (item) => cellAt(desk, column, item)]);
    else if (last) shown[shown.length - 1] = [last[0], last[1], [column.head, inFile]];
  }
  return shown;
}

/** A table of its own, without pages and file. */
export const rowsAt = <Of>(desk: Desk, columns: readonly Declared<MemberOf<Of>>[], items: readonly Of[]) =>
  rows({ columns: columnsAt<Of>(desk, columns) }, items);

function totalsAt(desk: Desk, totals: Totals, answer: unknown): Html | null {
  const items = totalsIn(totals, answer);
  return items.length === 0 ? null : rows({ columns: columnsAt(desk, totals.columns) }, items);
}

function fieldAt(call: CallName, { all, ...field }: Filter): Field {
  if (all === undefined) return field;
  const options = choicesOf(call, field.name).map((one) => [one, wordsOf(field.name, one)] as const);
  return { ...field, kind: 'choice', isOptional: true, options: [['', all], ...options] };
}

export function cellAt(desk: Desk, column: Declared, item: unknown): Cell {
  const cell = shownOf(column, item);
  const value = valueIn(column, item);
  const { to, may } = column;
  const isLink = to !== undefined && value !== null && (may === undefined || desk.may(may as CallName));
  const address = isLink ? addressIn(to, item) : null;
  if (address === null) return cell;
  const linked = (words: Html) => html`<a href="${address}">${words}</a>`;
  return { ...cell, shown: linked(cell.shown), ...(cell.inColumn && { inColumn: linked(cell.inColumn) }) };
}

function addressIn(to: string, item: unknown): string | null {
  let isWhole = true;
  const address = to.replace(/\{([\w.]+)\}/g, (_, path: string) => {
    const value = memberOf(item, path);
    isWhole &&= typeof value === 'string' || typeof value === 'number';
    return segment(String(value));
  });
  return isWhole ? address : null;
}

/** Drops the item's type: all lists are served alike. */
export function listOf<Name extends ListCall>(list: List<Name>): List {
  return list as unknown as List;
}

const PER_PAGE = 25;
const PER_READ = 200;

export async function table(desk: Desk, list: List): Promise<Html> {
  const page = pageOf(desk);
  const after = desk.query.get('after');
  const { perPage = PER_PAGE } = list;
  const answer = await read(desk, list, { page, per_page: perPage, ...(after && { after }) });
  const { items, pagination, next } = answer;
  const { total_items: total } = pagination;
  // A call without pages has returned all items.
  const data = items.length > perPage ? items.slice((page - 1) * perPage, page * perPage) : items;
  const last = Math.max(pagination.last_page, Math.ceil(items.length / perPage));
  const isPart = next !== null || after !== null;
  const to = (changes: Record<string, string>) =>
    `?${new URLSearchParams([
      ...[...desk.query].filter(([name]) => !(name in changes) && name !== 'done'),
      ...Object.entries(changes),
    ])}`;
  return html`${filters(desk, list.filters ?? [])}${list.head?.(answer)}
${data.length === 0 ? html`<p>${list.none}</p>` : rows(list, data)}
<p class="pages">${page > 1 && html`<a href="${to({ page: String(page - 1) })}" rel="prev">Previous</a> `}
<span>Page ${page} of ${last}, ${total} in ${isPart ? 'this part' : 'all'}</span>
${page < last && html` <a href="${to({ page: String(page + 1) })}" rel="next">Next</a>`}
${next !== null && page === last && html` <a href="${to({ page: '1', after: String(next) })}" rel="next">The next part</a>`}
${total > 0 && html` <a href="${to({ format: 'csv' })}" download>All as CSV</a>`}</p>`;
}

/** On a narrow screen each cell repeats its head. `totals`: heads of the columns that are added up. */
export function rows<Of>(
  { columns, below, totals = [] }: Pick<Table<Of>, 'columns' | 'below' | 'totals'>,
  items: readonly Of[],
): Html {
  const cells = items.map((item) => columns.map(([, cell]) => cell(item)));
  const heads = columns.map(([head], at) => {
    const currencies = new Set(cells.map((line) => line[at]?.currency));
    const [currency] = currencies.size === 1 ? currencies : [];
    return { head, currency };
  });
  const kind = (currency: string | undefined) =>
    currency !== undefined && html` class="sum" data-unit="${currency}"`;
  const line = (item: Of, nth: number) => {
    const more = below?.(item);
    return html`<tr>${heads.map(({ head, currency }, at) => html`<td data-head="${head}"${kind(currency)}>${shownIn(currency, cells[nth]?.[at])}</td>`)}</tr>
${more && html`<tr class="below"><td colspan="${columns.length}">${more}</td></tr>`}`;
  };
  /** Returns null if one amount is unknown. */
  const total = (at: number, currency: string) => {
    const sum = cells.reduce((sum, one) => sum + Math.round(Number(one[at]?.csv || NaN) * MINOR_PER_UNIT), 0);
    return Number.isNaN(sum) ? null : money(formatMoney(minor(sum)), currency).inColumn;
  };
  const label = heads.findIndex(({ head }) => !totals.includes(head));
  const foot = html`<tfoot><tr>${heads.map(
    ({ head, currency }, at) =>
      html`<td${kind(currency)}>${totals.includes(head) ? total(at, currency ?? '') : at === label && 'Total here'}</td>`,
  )}</tr></tfoot>`;
  return html`<table><thead><tr>${heads.map(({ head, currency }) => html`<th scope="col"${kind(currency)}>${head}</th>`)}</tr></thead>
<tbody>${items.map(line)}</tbody>${totals.length > 0 && items.length > 1 && foot}</table>`;
}

const shownIn = (currency: string | undefined, cell?: Cell) =>
  (currency === undefined ? null : cell?.inColumn) ?? cell?.shown;

/** Each part that is read has its own line in the audit log. */
export async function* csvOf(desk: Desk, list: List): AsyncGenerator<string> {
  const isUtc = desk.query.get('timezone') === 'UTC';
  const cellsOf = (item: Item<ListCall>) =>
    list.columns.flatMap(([, cell, inFile]) => {
      const { csv, at } = cell(item as never);
      return [(isUtc && at) || csv, ...(inFile ? [inFile[1](item as never)] : [])];
    });
  yield rowOf(list.columns.flatMap(([head, , inFile]) => (inFile ? [head, inFile[0]] : [head])));
  let from: { page: number; after?: number | string } = { page: 1 };
  for (;;) {
    const answer = await read(desk, list, { ...from, per_page: list.perPage ? 10 * list.perPage : PER_READ });
    const message = from.after === undefined && list.noFile?.(answer);
    if (message) throw validationFailed([{ field: 'to', message }]);
    const { items, pagination, next } = answer;
    yield items.map((item) => rowOf(cellsOf(item))).join('');
    if (next === null && from.page >= pagination.last_page) return;
    from = next === null ? { page: from.page + 1 } : { page: 1, after: next };
  }
}

type Read = {
  items: Item<ListCall>[];
  pagination: { last_page: number; total_items: number };
  next: number | string | null;
};

async function read(
  desk: Desk,
  list: List,
  { after, ...page }: { page: number; per_page: number; after?: number | string },
): Promise<Answer<ListCall> & Read> {
  const asked = (list.filters ?? []).flatMap(({ name, value = '' }) => {
    const given = desk.query.get(name) ?? value;
    return given === '' ? [] : [[name, given]];
  });
  const call: Call = calls[list.call];
  const takes = (name: string) => call.query !== undefined && name in call.query;
  const place = Object.entries({ ...page, ...(after !== undefined && { after }) });
  const where = Object.fromEntries(place.filter(([name]) => takes(name)));
  const query = { ...Object.fromEntries(asked), ...list.query, ...where };
  const answer = await desk.ask(list.call, { query, ...(list.id === undefined ? {} : { id: list.id }) });
  const members = answer as Partial<Record<string, unknown>>;
  const found = listNames.map((name) => members[name]).find(Array.isArray) ?? [];
  const items = list.isReversed ? found.toReversed() : found;
  const pagination = { last_page: 1, total_items: items.length };
  return { pagination, next: null, ...answer, items } as Answer<ListCall> & Read;
}

function pageOf(desk: Desk): number {
  const page = Number(desk.query.get('page') ?? 1);
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}
