import type pg from 'pg';
import type { Queryable } from './pool.ts';
import { prepared } from './prepared.ts';
import type { Made, Tables } from './statements/tables.d.ts';

export const DEFAULT: unique symbol = Symbol('DEFAULT');
/** The database's clock at the start of its transaction. */
export const NOW: unique symbol = Symbol('NOW');

class Later {
  readonly #moment: string | null;
  readonly #ms: number;
  constructor(moment: string | null, ms: number) {
    this.#moment = moment;
    this.#ms = ms;
  }
  get values(): [string | null, number] {
    return [this.#moment, this.#ms];
  }
}
/** Adds milliseconds to a moment, or to the database's clock if it is null. */
export const after = (moment: string | null, ms: number) => new Later(moment, ms);
export const now = (ms: number) => after(null, ms);

type Table = keyof Tables;
type All<T extends Table> = Required<Tables[T] & Made[T]>;
type Clock<V> = Date extends V ? typeof NOW | Later : never;
type Given<T extends Table, C extends keyof Tables[T]> =
  | Required<Tables[T]>[C]
  | Clock<Tables[T][C]>
  | (Record<never, never> extends Pick<Tables[T], C> ? typeof DEFAULT : never);
/** A row has every column, except those that Postgres generates; else it does not compile. */
type Row<T extends Table> = { [C in keyof Tables[T]]-?: Given<T, C> };
/** `insertMany` takes JSON as an object, because a text would be stored as a JSON string. */
type RowOfMany<T extends Table> = {
  [C in keyof Tables[T]]-?: Exclude<Given<T, C>, object extends Tables[T][C] ? string : Later>;
};
type Set<T extends Table> = { [C in keyof Tables[T]]?: Given<T, C> };

type Read<V> = V extends Date
  ? never
  : V extends Uint8Array
    ? Buffer
    : V extends readonly (infer E)[]
      ? Read<NonNullable<E>>[]
      : V;
type Columns<T extends Table> = readonly (keyof All<T> & string)[];
type Answer<T extends Table, R extends Columns<T>> = Promise<{
  rows: { [C in R[number]]: object extends All<T>[C] ? unknown : Read<All<T>[C]> }[];
  rowCount: number | null;
}>;
/** `onConflict` is SQL: `DO NOTHING`, optionally after the index. */
type Ways<R> = { onConflict?: string; returning?: R };

/** Inserts one row. `row` must be a literal without spread, because `npm run statements` reads the source. */
export function insert<T extends Table, const R extends Columns<T> = []>(
  db: Queryable,
  table: T,
  row: Row<T>,
  ways: Ways<R> = {},
): Answer<T, R> {
  const cells = cellsOf(row);
  return run(db, insertText(table, formsOf(cells), ways), valuesOf(cells));
}

/**
 * Inserts one row per item in one statement, or nothing without items. `rowOf` returns a literal, as for
 * `insert`.
 */
export async function insertMany<T extends Table, Item, const R extends Columns<T> = []>(
  db: Queryable,
  table: T,
  items: readonly Item[],
  rowOf: (item: Item) => RowOfMany<T>,
  ways: Ways<R> = {},
): Answer<T, R> {
  const rows = items.map((item) => cellsOf(rowOf(item)));
  const [first] = rows;
  if (!first) return { rows: [], rowCount: 0 };
  const text = insertManyText(table, formsOf(first), ways);
  const json = rows.map((cells) =>
    Object.fromEntries(cells.map(([column, value]) => [column, inJson(value)])),
  );
  return run(db, text, [JSON.stringify(json)]);
}

/** Updates the rows whose columns equal `where`, null included. Needs literals, as `insert` does. */
export function update<T extends Table, const R extends Columns<T> = []>(
  db: Queryable,
  table: T,
  set: Set<T>,
  where: Partial<All<T>>,
  ways: Pick<Ways<R>, 'returning'> = {},
): Answer<T, R> {
  const [cells, wanted] = [cellsOf(set), cellsOf(where)];
  const text = updateText(table, formsOf(cells), formsOf(wanted), ways);
  return run(db, text, [...valuesOf(cells), ...valuesOf(wanted.filter(([, value]) => value !== null))]);
}

export type Form = 'value' | 'null' | 'DEFAULT' | 'NOW' | 'Later';
export type Forms = readonly (readonly [column: string, form: Form])[];
type Told = { onConflict?: string | undefined; returning?: readonly string[] | undefined };

/** The statement collector makes the same text from an `insert` in the source. */
export function insertText(table: string, forms: Forms, told: Told): string {
  const given = forms.filter(([, form]) => form !== 'DEFAULT');
  const sql = numbered();
  const values = given.map(([, form]) => sql(form)).join(', ');
  return `INSERT INTO ${table} (${namesOf(given)}) VALUES (${values})${endingOf(told)}`;
}

/** JSON carries the rows, because unnest() needs column types in the text and takes no array column. */
export function insertManyText(table: string, forms: Forms, told: Told): string {
  const given = forms.filter(([, form]) => form !== 'DEFAULT');
  const values = given.map(([column, form]) => (form === 'NOW' ? 'now()' : column)).join(', ');
  return (
    `INSERT INTO ${table} (${namesOf(given)}) SELECT ${values} FROM ` +
    `jsonb_populate_recordset(NULL::${table}, $1)${endingOf(told)}`
  );
}

export function updateText(table: string, set: Forms, where: Forms, told: Told): string {
  const sql = numbered();
  const changes = set.map(([column, form]) => `${column} = ${sql(form)}`).join(', ');
  const found = where.map(([column, form]) => `${column} ${form === 'null' ? 'IS NULL' : `= ${sql(form)}`}`);
  return `UPDATE ${table} SET ${changes} WHERE ${found.join(' AND ')}${endingOf(told)}`;
}

function numbered(): (form: Form) => string {
  let number = 0;
  const parameter = () => {
    number += 1;
    return `$${number}`;
  };
  return (form) =>
    form === 'DEFAULT'
      ? form
      : form === 'NOW'
        ? 'now()'
        : form === 'Later'
          ? `coalesce(${parameter()}::timestamptz, now()) + ${parameter()} * interval '1 millisecond'`
          : parameter();
}

const namesOf = (forms: Forms) => forms.map(([column]) => column).join(', ');

function endingOf({ onConflict, returning = [] }: Told): string {
  const conflict = onConflict === undefined ? '' : ` ON CONFLICT ${onConflict}`;
  return returning.length === 0 ? conflict : `${conflict} RETURNING ${returning.join(', ')}`;
}

type Cells = [column: string, value: unknown][];
const cellsOf = (literal: object): Cells => Object.entries(literal);
const formsOf = (cells: Cells): Forms => cells.map(([column, value]) => [column, formOf(value)]);

function formOf(value: unknown): Form {
  if (value === DEFAULT) return 'DEFAULT';
  if (value === NOW) return 'NOW';
  if (value instanceof Later) return 'Later';
  return value === null ? 'null' : 'value';
}

const valuesOf = (cells: Cells) =>
  cells
    .filter(([, value]) => value !== DEFAULT && value !== NOW)
    .flatMap(([, value]) => (value instanceof Later ? value.values : [value]));

/** Writes bytes as `jsonb_populate_recordset` reads them. */
const inJson = (value: unknown) =>
  value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value;

function run(db: Queryable, text: string, values: unknown[]) {
  const name = prepared as (text: string) => string;
  return (db as unknown as pg.ClientBase).query(name(text), values) as never;
}
