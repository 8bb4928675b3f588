import { Argument, type Command, Option } from 'commander';
import { withLocalTimes } from '../../domain/day.ts';
import {
  type Column,
  currencyOf,
  isNumber,
  type ListCommand,
  memberOf,
  type PlacedCommand,
  textOf,
  totalsIn,
  type ViewCommand,
} from '../columns.ts';
import json from './commands.json' with { type: 'json' };
import type { Context, Run } from './context.ts';
import { segment } from './operator-client.ts';

/** A longer cell does not widen its column. */
const WIDTH_MAX = 40;

const lists = json.lists as readonly ListCommand[];

const views = json.views as readonly ViewCommand[];

export function addListCommands(program: Command, run: Run): void {
  for (const one of lists)
    addCommand(program, run, one, (context, path, query) => printList(context, { ...one, path }, query));
  for (const one of views)
    addCommand(program, run, one, async ({ api, print }, path, query) => {
      for (const line of linesOfView(one, await api.get<object>(path, query))) print(line);
    });
}

/** Turns `key_id` into `key`. */
export const flagOf = (name: string) => name.replace(/_id$/, '').replaceAll('_', '-');

export const childNamed = (parent: Command, word: string): Command =>
  parent.commands.find((one) => one.name() === word) ?? parent.command(word);

type Send = (context: Context, path: string, query: Query) => Promise<void>;

function addCommand(program: Command, run: Run, one: PlacedCommand, send: Send): void {
  const words = one.command.split(' ');
  const made = words
    .filter((word) => /^\w/.test(word))
    .reduce(childNamed, program)
    .description(one.title);
  const places = words.filter((word) => /^[<[]/.test(word));
  for (const place of places) made.addArgument(new Argument(place));
  const positional = places.map((place) => place.slice(1, -1));
  const named = new Map<string, Option>();
  for (const { name, label, options } of one.filters) {
    if (positional.includes(name)) continue;
    const option = new Option(`--${flagOf(name)} <${options ? name : 'text'}>`, label);
    named.set(name, options ? option.choices(options) : option);
  }
  for (const option of named.values()) made.addOption(option);
  made.action(() =>
    run((context) => {
      const given = made.opts<Record<string, string>>();
      const typed = positional.map((name, at) => [name, made.args[at]] as const);
      const chosen = [...named].map(([name, option]) => [name, given[option.attributeName()]] as const);
      const { id, ...query } = Object.fromEntries<string | undefined>([...typed, ...chosen]);
      return send(context, one.path.replace('{id}', segment(id ?? '')), query);
    }),
  );
}

type Query = Record<string, string | number | undefined>;
type Part = Record<string, unknown> & {
  pagination?: { last_page: number };
  next?: string | number | null;
  more_than?: number | null;
};

async function printList({ api, print }: Context, one: ListCommand, query: Query): Promise<void> {
  const widths: number[] = [];
  let isEmpty = true;
  for (let page = 1; ; page += 1) {
    const answer = await ask(api, one, one.isPaged ? { ...query, page, per_page: 200 } : query);
    const items = answer[one.member] as readonly unknown[];
    for (const line of linesOf(one.columns, items, { widths, hasHead: isEmpty })) print(line);
    isEmpty &&= items.length === 0;
    if (one.totals && (!isEmpty || one.totals.of !== undefined))
      for (const line of linesOf(one.totals.columns, totalsIn(one.totals, answer))) print(line);
    if (answer.more_than) print(`More than ${answer.more_than} match: their totals would take too long`);
    if (answer.next) print(`There are more: continue with --after ${answer.next}`);
    if (page >= (answer.pagination?.last_page ?? 1)) break;
  }
  if (isEmpty) print(one.none);
}

async function ask(api: Context['api'], { path, isPost, isPaged }: ListCommand, query: Query): Promise<Part> {
  for (;;) {
    const answer = isPost
      ? await api.post<Part>(path)
      : await (isPaged ? api.page<Part>(path, query) : api.get<Part>(path, query));
    if (answer.done !== false) return answer;
  }
}

function linesOfView({ fields, sections }: ViewCommand, answer: object): string[] {
  const given = fields
    .map((field) => [field.head, cellOf(field, answer)] as const)
    .filter(([, text]) => text !== '-');
  const width = Math.max(...given.map(([head]) => head.length));
  const below = sections.flatMap(({ title, of, columns }) => {
    const lines = linesOf(columns, memberOf(answer, of) as readonly unknown[]);
    return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
  });
  return [...given.map(([head, text]) => `${head.padEnd(width)}  ${text}`), ...below];
}

/** `widths` keeps the widths from page to page. */
export function linesOf(
  columns: readonly Column[],
  items: readonly unknown[],
  { widths = [], hasHead = true }: { widths?: number[]; hasHead?: boolean } = {},
): string[] {
  if (items.length === 0) return [];
  const rows = items.map((item) => columns.map((column) => cellOf(column, item)));
  if (hasHead) rows.unshift(columns.map(({ head }) => head));
  for (const row of rows)
    for (const [at, cell] of row.entries())
      widths[at] = Math.max(widths[at] ?? 0, Math.min(cell.length, WIDTH_MAX));
  return rows.map((row) =>
    row
      .slice(0, row.findLastIndex((cell) => cell !== '-') + 1)
      .map((cell, at) => {
        const width = widths[at] ?? 0;
        return columns[at] && isNumber(columns[at]) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}

function cellOf(column: Column, item: unknown): string {
  const currency = currencyOf(column, item);
  return withLocalTimes(textOf(column, item)) + (currency && ` ${currency}`) || '-';
}
